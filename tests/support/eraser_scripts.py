"""Players that do what golden games say, and replay files to compare with."""

from __future__ import annotations

import gzip
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ludus.compat.eraser.game import Game_play
from ludus.games.eraser import EraserOptions
from tests.support.eraser_data import GOLDEN, lines, moves_of

GAMES = {game["id"]: game for game in lines("games")}


class Replays(Mapping[str, bytes]):
    """Replay files by name, read when they are asked for: every worker collects their names."""

    def __init__(self, folder: Path) -> None:
        self._files = {
            path.name.removesuffix(".json.gz"): path for path in sorted(folder.glob("*.json.gz"))
        }

    def __getitem__(self, name: str) -> bytes:
        return gzip.decompress(self._files[name].read_bytes())

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


REPLAYS = Replays(GOLDEN / "replays")

ANSWERS: dict[str, Any] = {
    "bad_none": None,
    "bad_text": "up",
    "bad_three": ((0, 0), (0, 1), (0, 2)),
    "bad_short": ((1,), (2,)),
    "bad_long": ((1, 2, 3), (1, 3, 3)),
    "bad_same_cell": ((2, 2), (2, 2)),
    "bad_far": ((0, 0), (3, 3)),
    "bad_above": ((0, 5), (0, 6)),
    "bad_left_of": ((0, 0), (-1, 0)),
    "bad_far_out": ((0, 0), (9, 9)),
}
"""What the failing player of a golden game returned."""


def fail(game: str) -> Any:
    """Do what the failing player did."""
    match game:
        case "exc_zero":
            return 1 / 0
        case "exc_index":
            return [][1]
        case "exc_multiline":
            raise ValueError("first line\nsecond line")
        case "exc_exit":
            raise SystemExit
        case "time_once":
            time.sleep(5)
    return ANSWERS[game]


class NoArg:
    def __init__(self) -> None: ...


def player(game: dict[str, Any], side: int) -> Any:
    """A module whose Plaser plays this side of a golden game."""
    name = game["p"][side]
    script = iter(moves_of(game)[1 - side :: 2])

    class Plaser:
        def __init__(self, is_First: bool) -> None:
            assert is_First is (side == 1)
            if name.startswith("InitBoom"):
                raise RuntimeError("cannot start")

        def move(self, board: Any, operations: Any, scores: Any, turn_number: int) -> Any:
            if name.startswith("Slow"):
                time.sleep(0.0005)
            swap = next(script, None)
            if swap is None:
                return fail(game["id"])
            x1, y1, x2, y2 = map(int, swap)
            return ((x1, y1), (x2, y2))

    Plaser.__module__, Plaser.__qualname__ = name, "Plaser"
    NoArg.__module__, NoArg.__qualname__ = name, "NoArg"
    return SimpleNamespace(__name__=name, Plaser=NoArg if name == "NoArg" else Plaser)


def played(name: str, order: int = 0) -> Game_play:
    """A golden game, played again."""
    game = GAMES[name]
    found = Game_play(player(game, 0), player(game, 1))
    options = EraserOptions(rows=game["rows"])
    found.play(game["seed"], order, max_time=game["max_time"], options=options)
    return found


def without_times(data: bytes) -> bytes:
    """A replay file with every thinking time blotted out."""
    return re.sub(rb'("totalTime": )[0-9.e+-]+|("time": )\[[^]]*\]', rb"\1\2T", data)


def without_trace(data: bytes) -> bytes:
    """... and the traceback, of which only the last line is the original's."""
    return re.sub(rb'("errorMessage": ")(?:[^"\\]|\\.)*"', rb'\1"', without_times(data))
