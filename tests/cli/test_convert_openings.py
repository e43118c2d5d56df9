"""Bouts that begin with an opening, in the files of the originals."""

from pathlib import Path

import pytest

from ludus.compat.reading import read_verified
from ludus.match.record import save
from tests.support.cli import Ludus
from tests.support.openings import play_from_opening


@pytest.mark.parametrize(
    ("game", "options", "suffix"),
    [
        ("duel2048", {"rounds": 12}, "txt"),
        ("eraser", {"turns": 20}, "json"),
        ("paperio", {"turns": 40}, "clog"),
        ("paperio", {"turns": 40}, "zlog"),
    ],
)
def test_the_moves_of_an_opening_are_moves_like_others(
    cli: Ludus, tmp_path: Path, game: str, options: dict[str, int], suffix: str
) -> None:
    record = play_from_opening(game, options)
    path, file = tmp_path / "it.ludus", tmp_path / f"it.{suffix}"
    save(record, path)
    ran = cli("replay", "convert", path, file)
    assert ran.code == 0, ran.err
    back = read_verified(file)
    assert [m.strip() for m in back.moves] == record.moves and back.opening_moves == 0
