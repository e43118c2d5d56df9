"""The frames of a replay file: the board after each step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ludus.games.eraser.board import COLUMNS, LETTERS, ROWS, SHOWN, Board

COLOUR_DIGITS = {letter: digit for digit, letter in enumerate("RBGYP")}
RESERVE_ROWS = ROWS - SHOWN
"""Pieces of a column above the rows that a frame shows, at the start."""

SwappedCells = tuple[int, int]
"""The two cells that a turn swapped."""


@dataclass
class SidePanel:
    """One side's panel."""

    score: int = 0
    highest: int = 0
    combo: int = 0
    time: float = 0
    """The integer 0 until the side has moved."""

    def as_dict(self, other: SidePanel) -> dict[str, Any]:
        return {
            "totalScores": self.score,
            "highestCombo": self.highest,
            "currentCombo": self.combo,
            "status": (self.score > other.score) - (self.score < other.score),
            "totalTime": self.time,
        }


@dataclass
class ReplayFrames:
    """A board that keeps the identity of its pieces, and produces frames."""

    board: Board
    turn: int = 0
    sides: tuple[SidePanel, SidePanel] = field(default_factory=lambda: (SidePanel(), SidePanel()))

    def __post_init__(self) -> None:
        self.board = self.board.copy()
        self.names = [_name(cell % 6, cell // 6) for cell in range(36)]

    @property
    def mover(self) -> int:
        """The side whose turn it is."""
        return self.turn & 1

    def frames(
        self, turns: Sequence[SwappedCells], times: Sequence[float]
    ) -> Iterator[dict[str, Any]]:
        """The first frame and those of each turn; ``times`` are the movers' totals after it."""
        yield self.frame()
        for cells, time in zip(turns, times, strict=True):
            self.begin_turn()
            yield from self.play(cells, time)

    def begin_turn(self) -> None:
        self.turn += 1
        self.sides[self.mover].combo = 0

    def play(self, cells: SwappedCells, time: float) -> Iterator[dict[str, Any]]:
        """A frame after the swap and one after each step of erasing."""
        one, other = cells
        side = self.sides[self.mover]
        side.time = time
        self.board.swap(one, other)
        self.names[one], self.names[other] = self.names[other], self.names[one]
        yield self.frame()
        while self._erase(side):
            yield self.frame()

    def _erase(self, side: SidePanel) -> bool:
        before = self.board.lost()
        points = self.board.erase()
        burst = self.board.burst
        side.score += points
        side.combo += burst.bit_count()
        side.highest = max(side.highest, side.combo)
        for x, (lost, now) in enumerate(zip(before, self.board.lost(), strict=True)):
            cells = range(6 * x, 6 * x + 6)
            kept = [self.names[cell] for cell in cells if not burst >> cell & 1]
            fallen = [_name(6 + row, x) for row in range(lost, now)]
            self.names[6 * x : 6 * x + 6] = kept + fallen
        return points > 0

    def frame(self) -> dict[str, Any]:
        """The original's frame."""
        left, right = self.sides
        lost = self.board.lost()
        return {
            "turnNumber": self.turn,
            "currentPlayer": self.mover,
            "remainedBarStatus": [max(RESERVE_ROWS - gone, 0) for gone in lost],
            "boardStatus": dict(self._pieces(lost)),
            "sideBarStatus": {"left": left.as_dict(right), "right": right.as_dict(left)},
        }

    def _pieces(self, lost: Sequence[int]) -> Iterator[tuple[str, list[int]]]:
        columns = [self.board.column(x, SHOWN) for x in range(COLUMNS)]
        for y in range(SHOWN):
            for x in range(COLUMNS):
                letter = columns[x][y]
                if letter != LETTERS[0]:
                    name = self.names[6 * x + y] if y < 6 else _name(y + lost[x], x)
                    yield f"{name}b{COLOUR_DIGITS.get(letter, letter)}", [y, x]


def _name(row: int, column: int) -> str:
    """The name of a piece: its initial row and column."""
    return f"r{row:04}c{column:04}"
