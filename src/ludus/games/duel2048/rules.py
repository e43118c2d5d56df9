"""The rules of Duel 2048.

A bout is counted in phases, four to a round: the first player puts a tile, the second puts one,
the first merges, the second merges. ``phase // 4`` is the round and ``phase % 2`` the seat.
A phase in which its seat can do nothing is skipped.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping
from typing import Any

import cython

from ludus.games.base import IllegalMove, Outcome, only_move
from ludus.games.duel2048.board import POSITIONS
from ludus.games.duel2048.view import view

if not cython.compiled:
    from ludus.games.duel2048.board import Chessboard
else:
    from cython.cimports.ludus.games.duel2048.board import (  # type: ignore[no-redef]
        Chessboard,
    )

RANDOM_RANGE = 720720
"""Divisible by 1…16, so that every number of empty cells is drawn from evenly."""
TOP_LEVEL = 13
"""Tiles above it do not count in the score."""

DIRECTIONS = ("up", "down", "left", "right")
CELL_NAMES = tuple(f"{row},{column}" for row, column in POSITIONS)
CELLS = {name: cell for cell, name in enumerate(CELL_NAMES)}
HEADINGS = {name: heading for heading, name in enumerate(DIRECTIONS)}
SEATS = ((0,), (1,))


def draw(seed: int, rounds: int) -> tuple[int, ...]:
    """The random sequence of a bout, as the original draws it after ``random.seed(seed)``."""
    generator = random.Random(seed)
    return tuple(generator.randrange(RANDOM_RANGE) for _ in range(rounds))


@cython.cfunc
@cython.exceptval(check=False)
def phase_is_closed(board: Chessboard, phase: cython.int) -> cython.bint:
    """Whether the phase's seat can do nothing in it, so that it is skipped."""
    if phase & 2:
        return board.stuck((phase & 1) == 0)
    return board.full()


@cython.cclass
class DuelPosition:
    """A moment of a bout of Duel 2048."""

    def __init__(self, board: Chessboard, rounds: int) -> None:
        """Play starts at round 0 on that board, whose random sequence has ``rounds`` numbers."""
        self.board = board
        self.rounds = rounds
        self.phase = 0
        self.outcome: Outcome | None = None
        self.last: str | None = None
        self.on_skip: Callable[[int], None] | None = None
        """Called with each skipped phase, before the board forgets that seat's decision."""

    def begin(self) -> None:
        """Skip the phases that cannot be played on a board that did not start empty."""
        self.settle()

    @property
    def to_move(self) -> tuple[int, ...]:
        return SEATS[self.phase & 1] if self.outcome is None else ()

    @property
    def round(self) -> int:
        """The current round, from 0."""
        return self.phase >> 2

    @property
    def merging(self) -> bool:
        """Whether the seat to move answers with a direction; else with a cell."""
        return (self.phase & 2) != 0

    @cython.boundscheck(True)
    def next_cell(self) -> int:
        """The cell of its own territory that the seat to move may fill, or -1 if it is full."""
        first: cython.bint = (self.phase & 1) == 0
        if not self.board.getNone(first):
            return -1
        return self.board.spot(first, self.board.array[self.phase >> 2])

    def legal(self, seat: int) -> list[str]:
        if self.outcome is not None or seat != self.phase & 1:
            return []
        first: cython.bint = seat == 0
        if self.phase & 2:
            return [
                DIRECTIONS[heading]
                for heading in range(4)
                if self.board._twin().merge(first, heading)
            ]
        cells = [CELLS[f"{row},{column}"] for row, column in self.board.getNone(not first)]
        own = self.next_cell()
        return [CELL_NAMES[cell] for cell in ([own, *cells] if own >= 0 else cells)]

    def play(self, moves: Mapping[int, str]) -> None:
        seat: cython.int = self.phase & 1
        move = only_move(seat, moves, self.outcome)
        if self.phase & 2:
            self._merge(seat, move)
        else:
            self._put(seat, move)
        self.last = move
        self.phase += 1
        self.settle()

    def _put(self, seat: cython.int, move: str) -> None:
        cell: cython.int = CELLS.get(move, -1)
        if cell < 0:
            raise IllegalMove(
                seat,
                move,
                "expected a cell 'row,column' from 0,0 to 3,7",
                "应为 0,0 到 3,7 的“行,列”",
            )
        taken: cython.uint = self.board.first | self.board.second
        if (taken >> cell) & 1:
            raise IllegalMove(seat, move, "that cell is taken", "该格已有棋子")
        if ((cell & 7) < 4) == (seat == 0) and cell != self.next_cell():
            own = CELL_NAMES[self.next_cell()]
            raise IllegalMove(
                seat,
                move,
                f"in its own territory this seat may only fill {own} in this round",
                f"本回合在己方领地只能下在 {own}",
            )
        self.board.put(cell, 1)
        self.board.decide(seat == 0, POSITIONS[cell])

    def _merge(self, seat: cython.int, move: str) -> None:
        heading: cython.int = HEADINGS.get(move, -1)
        if heading < 0:
            raise IllegalMove(
                seat,
                move,
                "expected a direction: up, down, left or right",
                "应为方向 up、down、left 或 right",
            )
        if not self.board.merge(seat == 0, heading):
            raise IllegalMove(
                seat, move, "nothing would move in that direction", "朝该方向合并没有任何变化"
            )
        self.board.decide(seat == 0, (heading,))

    @cython.cfunc
    def settle(self) -> cython.void:
        """Go on to the next phase that can be played, or to the end."""
        while self.phase < self.rounds * 4 and phase_is_closed(self.board, self.phase):
            if self.on_skip is not None:
                self.on_skip(self.phase)
            self.board.decide((self.phase & 1) == 0, ())
            self.phase += 1
            if self.on_skip is None and self._dead():
                self.phase = self.rounds * 4
                self.board.decide(True, ())
                self.board.decide(False, ())
        if self.phase >= self.rounds * 4 and self.outcome is None:
            self.outcome = score(self.board)

    def _dead(self) -> bool:
        """Whether the board is full and neither side can merge: it then stays so to the end."""
        return self.board.full() and self.board.stuck(True) and self.board.stuck(False)

    def view(self, seat: int | None = None) -> dict[str, Any]:
        return view(self)

    def copy(self) -> DuelPosition:
        twin: DuelPosition = DuelPosition.__new__(DuelPosition)
        twin.board = self.board._twin()
        twin.rounds = self.rounds
        twin.phase = self.phase
        twin.outcome = self.outcome
        twin.last = self.last
        twin.on_skip = None
        return twin

    def digest(self) -> str:
        facts = f"duel2048/1 {self.rounds} {self.phase}\n{self.board!r}\n{self.board.array!r}"
        return hashlib.sha256(facts.encode()).hexdigest()[:32]

    def __str__(self) -> str:
        return str(self.board)


def score(board: Chessboard) -> Outcome:
    """The side with more tiles of the highest level that differs wins."""
    first, second = board.getScore(True), board.getScore(False)
    for level in range(TOP_LEVEL, 0, -1):
        a, b = first.count(level), second.count(level)
        if a != b:
            scores = (1.0, 0.0) if a > b else (0.0, 1.0)
            return Outcome(scores, "level", {"level": level, "first": a, "second": b})
    return Outcome((0.5, 0.5), "tied")


if not cython.compiled:
    from ludus.games.sealed import seal_class

    globals()["DuelPosition"] = seal_class(DuelPosition)
