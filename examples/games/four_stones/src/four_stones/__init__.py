"""Drop a stone into a column; three of yours in a line win. 把棋子投入一列，三子连线者胜。"""

from __future__ import annotations

import copy
import dataclasses
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from ludus.games.base import Game, IllegalMove, Options, Outcome, option
from ludus.lang import Text

ROWS = 4
STONES = "xo"  # one kind of stone for each seat
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


@dataclasses.dataclass(frozen=True)
class FourStonesOptions(Options):
    columns: int = option(
        5, "columns of the board", "棋盘的列数", title=Text("Columns", "列数"), low=3, high=9
    )


class FourStonesPosition:
    """A moment of a bout. The cells are numbered row by row, from the top left."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.cells = [""] * (ROWS * columns)
        self.last: int | None = None
        self.seat = 0
        self.outcome: Outcome | None = None

    @property
    def to_move(self) -> tuple[int, ...]:
        return (self.seat,) if self.outcome is None else ()

    def legal(self, seat: int) -> list[str]:
        """A move is the number of a column with room, from 1."""
        if seat not in self.to_move:
            return []
        return [str(column + 1) for column in range(self.columns) if not self.cells[column]]

    def play(self, moves: Mapping[int, str]) -> None:
        move = moves.get(self.seat, "")
        if move not in self.legal(self.seat) or len(moves) != 1:
            raise IllegalMove(self.seat, move, "expected one column with room", "应为一个未满的列")
        column = range(int(move) - 1, len(self.cells), self.columns)
        self.last = max(cell for cell in column if not self.cells[cell])  # a stone falls
        self.cells[self.last] = STONES[self.seat]
        if self.has_line():
            scores = (1.0, 0.0) if self.seat == 0 else (0.0, 1.0)
            self.outcome = Outcome(scores, "line", {"column": int(move)})
        elif all(self.cells):
            self.outcome = Outcome((0.5, 0.5), "full")
        self.seat = 1 - self.seat

    def has_line(self) -> bool:
        grid = {divmod(cell, self.columns): stone for cell, stone in enumerate(self.cells)}
        return any(
            {grid.get((row + i * down, column + i * right)) for i in range(3)} in ({"x"}, {"o"})
            for row, column in grid
            for down, right in DIRECTIONS
        )

    def copy(self) -> Self:
        twin = copy.copy(self)
        twin.cells = self.cells[:]
        return twin

    def digest(self) -> str:
        return hashlib.sha256(f"four_stones {self.columns}\n{self}".encode()).hexdigest()[:32]

    def __str__(self) -> str:
        signs = [stone or "." for stone in self.cells]
        rows = [signs[i : i + self.columns] for i in range(0, len(signs), self.columns)]
        return "\n".join(" ".join(row) for row in rows)

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """The board language: any viewer can show this, and people can play by clicking."""
        clicks = [
            {"kind": "cell", "row": row, "column": int(move) - 1, "move": move}
            for move in self.legal(self.seat)
            for row in range(ROWS)
        ]
        return {
            "layers": {"stones": self.cells[:]},
            "marks": {"last": [] if self.last is None else [self.last]},
            "phase": {"en": "drop a stone", "zh": "落子"},
            "to_move": list(self.to_move),
            "gestures": {str(mover): clicks for mover in self.to_move},
        }


class FourStones(Game):
    name = "four_stones"
    version = 1  # raise it when old records would replay differently
    title = Text("Four stones", "Four stones")
    seats = (Text("first", "先手"), Text("second", "后手"))
    Options = FourStonesOptions
    reasons = {
        "line": Text("three in a line by column {column}", "第 {column} 列落子，三子连线"),
        "full": Text("the board is full", "棋盘已满"),
    }
    house = Path(__file__).parent / "bots"
    guide_folder = Path(__file__).parent / "guide"  # the rules for readers
    odd = ({}, {"columns": 3}, {"columns": 9})  # what the tests try

    def start(self, options: Any, seed: int) -> FourStonesPosition:
        return FourStonesPosition(options.columns)

    def is_seeded(self, options: Any) -> bool:
        return False  # the start position is fixed, so matches begin with a few random moves

    def scene(self, options: Any) -> dict[str, Any]:
        tokens = {
            "x": {"owner": 0, "glyph": "●", "label": {"en": "first's stone", "zh": "先手的棋子"}},
            "o": {"owner": 1, "glyph": "○", "label": {"en": "second's stone", "zh": "后手的棋子"}},
        }
        size = {"rows": ROWS, "columns": options.columns}
        return {**size, "layers": ["stones"], "tokens": {"stones": tokens}}


GAME = FourStones()
