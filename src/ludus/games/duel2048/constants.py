"""The original's module ``constants``: bots and tools import it by that name."""

from __future__ import annotations

from typing import Any

from ludus.games.duel2048.board import Chessboard as Chessboard
from ludus.games.duel2048.board import Chessman as Chessman

MAXTIME = 5
ROUNDS = 500
REPEAT = 10
ROWS = 4
COLUMNS = 8
MAXLEVEL = 14
SLEEP = 0.3
ARRAY: Any = list(range(ROUNDS))

NAMES = {level: f"{2**level if level else 0:04}" for level in range(MAXLEVEL)}
PLAYERS = {True: "player 0", False: "player 1"}


class _Directions(list[str]):
    def __getitem__(self, index: Any) -> Any:
        return list.__getitem__(self, index) if index in range(4) else "unknown"


DIRECTIONS = _Directions(["up", "down", "left", "right"])


def POSITIONS(position: Any) -> str:
    """The position as text, or ``unknown`` if it is not one on the board."""
    if not isinstance(position, tuple) or len(position) != 2:
        return "unknown"
    row, column = position
    return str(position) if row in range(ROWS) and column in range(COLUMNS) else "unknown"


PICTURES = ["nanami", "ayase"]
LENGTH = 100
PADX = PADY = 10
WORD_SIZE = (5, 2)
FONT = ("Verdana", 40, "bold")
COLOR_BACKGROUND = "#92877d"
COLOR_NONE = "#9e948a"
COLOR_CELL = {"+": "#eee4da", "-": "#f2b179"}
COLOR_WORD = {"+": "#776e65", "-": "#f9f6f2"}
KEY_BACKWARD = "'['"
KEY_FORWARD = "']'"

__all__ = [
    name for name in dir() if not name.startswith("_") and name not in ("Any", "annotations")
]
