"""Fitting the pattern tables of Duel 2048."""

from __future__ import annotations

import json
from array import array
from pathlib import Path

import numpy as np
import pytest

from ludus.games.duel2048 import GAME, DuelOptions, patterns
from ludus.games.duel2048.pattern_bouts import DuelPatternBouts, DuelPatternFit
from ludus.games.duel2048.pattern_search import DuelPatternSearch
from ludus.learn.patterns import duel2048
from tests.support.compiled import COMPILED

pytestmark = pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python")
SMALL = ("--workers", "1", "--boards", "600", "--kept", "2", "--epochs", "2", "--rounds", "1")


def test_what_is_fitted_is_what_the_search_looks_up() -> None:
    """One sample, learnt by heart: then the search says the same about that board."""
    position = GAME.start(DuelOptions(rounds=40), 2)
    boards = bytearray(34)
    for _ in range(8):
        (seat,) = position.to_move
        position.play({seat: position.legal(seat)[-1]})
    for cell, (level, mine) in enumerate(tile for row in position.board.getRaw() for tile in row):
        boards[cell] = level + 64 if level and not mine else level
    boards[32] = position.rounds - position.round
    weights = np.zeros(patterns.SIZE, np.float32)
    chances, order = np.full(1, 0.8, np.float32), np.zeros(400, np.int32)
    loss = DuelPatternFit(weights).fit(boards, chances, order, 0.1)
    assert 0.5 < loss < 0.7
    search = DuelPatternSearch(duel2048.round_weights(weights), position.board.array)
    expected = np.log(0.8 / 0.2) * patterns.UNIT
    assert abs(search.evaluate(position) - expected) < 0.05 * patterns.UNIT


def test_a_fit_foretells_bouts_better_than_chance() -> None:
    nothing = array("h", bytes(2 * patterns.SIZE))
    boards, chances = DuelPatternBouts(nothing, 1, trust=1.0).collect(4000, 10, 40)
    found = np.frombuffer(chances, np.float32)
    learner = DuelPatternFit(np.zeros(patterns.SIZE, np.float32))
    order = np.arange(len(found), dtype=np.int32)
    untold = learner.fit(boards, found, order, 0.0)
    learner.fit(boards, found, order, 0.1)
    assert untold == pytest.approx(np.log(2), abs=1e-3)
    assert learner.fit(boards, found, order, 0.1) < untold - 0.1


@pytest.mark.slow
def test_a_run_learns_and_goes_on_from_its_weights(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    duel2048.main([str(first), *SMALL[:-1], "2"])
    rows = [json.loads(row) for row in (first / "log.jsonl").read_text("utf-8").splitlines()]
    assert [row["round"] for row in rows] == [0, 1]
    learnt = patterns.read_weights(first / duel2048.NAME)
    assert any(learnt)
    duel2048.main([str(second), *SMALL, "--weights", str(first / duel2048.NAME)])
    later = np.array(patterns.read_weights(second / duel2048.NAME), float)
    assert np.corrcoef(later, np.array(learnt, float))[0, 1] > 0.5


def test_a_folder_with_weights_is_refused_unless_they_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / duel2048.NAME
    file.write_bytes(b"tables of another run")
    with pytest.raises(SystemExit):
        duel2048.main([str(tmp_path), *SMALL])
    assert f"--weights {file}" in capsys.readouterr().err
    assert file.read_bytes() == b"tables of another run"


def test_weights_that_cannot_be_read_are_an_error_of_one_line(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"none\.patterns"):
        duel2048.main([str(tmp_path / "run"), *SMALL, "--weights", str(tmp_path / "none.patterns")])
    assert not (tmp_path / "run").exists()
