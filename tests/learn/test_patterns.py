"""Fitting the weights of pattern networks."""

import random
from array import array
from pathlib import Path

import numpy as np
import pytest

from ludus.games.reversi import patterns
from tests.support.compiled import COMPILED

pytest.importorskip("jax")
pytestmark = pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python")


def test_what_is_fitted_is_what_the_search_looks_up(tmp_path: Path) -> None:
    from ludus.games.reversi.pattern_bouts import PatternBouts
    from ludus.games.reversi.pattern_search import PatternSearch
    from ludus.learn.patterns import fit
    from ludus.learn.patterns.run import read_leads

    generator = random.Random(1)
    count = patterns.PHASES * patterns.stored_size()
    path = tmp_path / "w.patterns"
    patterns.write_weights(path, [generator.randint(-40, 40) for _ in range(count)])
    weights = patterns.read_weights(path)
    own, rival, lead = PatternBouts(weights, 1, 1).collect(100)
    found = fit.pack_positions(own, rival, lead)
    blur = np.zeros(len(found.lead), np.int32)
    expected = np.asarray(fit.predict(read_leads(path), found.words, blur)) * patterns.UNIT
    assert np.abs(expected).max() < 64 * patterns.UNIT, "the search cuts off greater values"
    search = PatternSearch(weights)
    values = [
        search.evaluate(*each) for each in zip(array("Q", own), array("Q", rival), strict=True)
    ]
    assert len(set(values)) > 50
    assert np.abs(expected - values).max() < 1


@pytest.mark.slow
def test_a_run_learns_and_writes_weights(tmp_path: Path) -> None:
    from ludus.learn.patterns.run import main

    words = [
        "--rounds",
        "2",
        "--workers",
        "1",
        "--positions",
        "20000",
        "--depths",
        "1",
        "--kept",
        "2",
    ]
    main([str(tmp_path), *words])
    rows = (tmp_path / "log.jsonl").read_text("utf-8").splitlines()
    assert len(rows) == 2
    assert any(patterns.read_stored(tmp_path / "reversi.patterns"))


SMALL = ("--workers", "1", "--positions", "400", "--depths", "1", "--rounds", "1")


def test_a_folder_with_weights_is_refused_unless_they_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from ludus.learn.patterns.run import main, parse_arguments

    file = tmp_path / "reversi.patterns"
    file.write_bytes(b"tables of another run")
    with pytest.raises(SystemExit):
        main([str(tmp_path), *SMALL])
    assert f"--weights {file}" in capsys.readouterr().err
    assert file.read_bytes() == b"tables of another run"
    assert parse_arguments([str(tmp_path), *SMALL, "--weights", str(file)]).weights == file


def test_nothing_is_written_before_the_first_round_is_learned(tmp_path: Path) -> None:
    from concurrent.futures import ProcessPoolExecutor

    from ludus.learn.patterns.run import Run, parse_arguments

    folder, scratch = tmp_path / "run", tmp_path / "scratch"
    scratch.mkdir()
    with ProcessPoolExecutor(1) as pool:
        run = Run(parse_arguments([str(folder), *SMALL]), pool, scratch)
        assert not folder.exists() and patterns.read_stored(run.playing)


def test_weights_that_cannot_be_read_are_an_error_of_one_line(tmp_path: Path) -> None:
    from ludus.learn.patterns.run import main

    with pytest.raises(SystemExit, match=r"none\.patterns"):
        main([str(tmp_path / "run"), *SMALL, "--weights", str(tmp_path / "none.patterns")])
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--positions 10 --workers 16", "--positions must be at least 64"),
        ("--kept 0", "--kept: expected a whole number of at least 1, got '0'"),
        ("--workers 0", "--workers: expected a whole number of at least 1, got '0'"),
        ("--depths x", "--depths: expected depths of at least 1 separated by commas"),
        ("--depths 1,0", "--depths: expected depths of at least 1 separated by commas"),
        ("--seconds nan", "--seconds: expected a number above 0, got 'nan'"),
        ("--trust 2", "--trust: expected a number from 0 to 1, got '2'"),
        ("--solved -1", "--solved: expected a whole number of at least 0, got '-1'"),
    ],
)
def test_a_number_that_cannot_be_is_an_error_of_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: str, said: str
) -> None:
    from ludus.learn.patterns.run import parse_arguments

    with pytest.raises(SystemExit):
        parse_arguments([str(tmp_path), *words.split()])
    assert said in capsys.readouterr().err
