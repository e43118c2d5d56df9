"""The rules of Eraser (星际消战).

The seats swap two neighbours of the main board in turn, seat 0 first. Three or more of a colour in
a line are erased with everything of their colour that touches them; a region of m pieces scores
(m - 2)². What was above falls down, and may be erased in turn, all for the seat that moved.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import cython

from ludus.games.base import IllegalMove, Outcome, only_move
from ludus.games.eraser.board import NAMES, SWAPS, name_of
from ludus.games.eraser.view import view

if not cython.compiled:
    from ludus.games.eraser.board import Board
else:
    from cython.cimports.ludus.games.eraser.board import Board  # type: ignore[no-redef]

MOVES = {name_of(*pair): pair for one, other in SWAPS for pair in ((one, other), (other, one))}
"""Every move that can be played: each swap, with its cells in either order."""
SEATS = ((0,), (1,))
TURNS, STUCK, HOLES, TIED = "turns", "stuck", "holes", "tied"


@cython.final
@cython.cclass
class EraserPosition:
    """A moment of a bout of Eraser."""

    def __init__(self, board: Board, limit: int = 200, extra: bool = True) -> None:
        """The first turn on that board is to be played; ``limit`` is the number of turns.

        ``extra``: when the main board has a hole, one more turn is played; else none.
        """
        self.board = board
        self.before = board
        self.limit = limit
        self.extra = extra
        self.turn = 0
        self.ending = ""
        self.outcome: Outcome | None = None
        self.last: str | None = None
        if not cython.compiled:
            self.score, self.combo, self.highest = [0, 0], [0, 0], [0, 0]
        for seat in range(2):
            self.score[seat] = self.combo[seat] = self.highest[seat] = 0
        self.judge(False)

    @property
    def to_move(self) -> tuple[int, ...]:
        return SEATS[self.turn & 1] if self.outcome is None else ()

    @property
    def points(self) -> tuple[int, int]:
        """What each seat has scored."""
        return self.score[0], self.score[1]

    @property
    def combos(self) -> tuple[int, int]:
        """How many pieces each seat's last turn erased."""
        return self.combo[0], self.combo[1]

    @property
    def best_combos(self) -> tuple[int, int]:
        """How many pieces each seat's best turn erased."""
        return self.highest[0], self.highest[1]

    def legal(self, seat: int) -> list[str]:
        """Every swap of neighbours, whether it erases something or not."""
        return list(NAMES) if self.outcome is None and seat == self.turn & 1 else []

    def operations(self) -> list[str]:
        """The swaps that erase something, in the same order."""
        return [NAMES[number] for number in self.board.operations()]

    def play(self, moves: Mapping[int, str]) -> None:
        seat: cython.int = self.turn & 1
        move = only_move(seat, moves, self.outcome)
        cells = MOVES.get(move)
        if cells is None:
            raise refusal(seat, move)
        self.before = self.board
        self.board = self.board.copy()
        self.score[seat] += self.board.exchange(cells[0], cells[1])
        self.combo[seat] = self.board.erased
        self.highest[seat] = max(self.highest[seat], self.combo[seat])
        self.last = move
        self.turn += 1
        self.judge(self.before.holed())

    @cython.cfunc
    def judge(self, last_chance: cython.bint) -> object:
        """Look whether the bout is over; ``last_chance``: the turn played was the extra one."""
        if last_chance:
            self.conclude(HOLES)
        elif self.turn >= self.limit:
            self.conclude(TURNS)
        elif self.board.holed() and (not self.extra or self.board.stuck()):
            self.conclude(HOLES)
        elif self.board.stuck():
            self.conclude(STUCK)
        return None

    @cython.cfunc
    def conclude(self, ending: str) -> object:
        self.ending = ending
        first: cython.int = self.score[0]
        second: cython.int = self.score[1]
        detail = {"first": first, "second": second}
        if first == second:
            self.outcome = Outcome((0.5, 0.5), TIED, {**detail, "ending": ending})
        else:
            won = (1.0, 0.0) if first > second else (0.0, 1.0)
            self.outcome = Outcome(won, ending, detail)
        return None

    def view(self, seat: int | None = None) -> dict[str, Any]:
        return view(self)

    def copy(self) -> EraserPosition:
        """Costs next to nothing: boards are never changed, only replaced."""
        twin: EraserPosition = EraserPosition.__new__(EraserPosition)
        twin.board, twin.before = self.board, self.before
        twin.limit, twin.extra, twin.turn = self.limit, self.extra, self.turn
        twin.ending, twin.outcome, twin.last = self.ending, self.outcome, self.last
        if not cython.compiled:
            twin.score, twin.combo, twin.highest = [0, 0], [0, 0], [0, 0]
        seat: cython.int
        for seat in range(2):
            twin.score[seat] = self.score[seat]
            twin.combo[seat] = self.combo[seat]
            twin.highest[seat] = self.highest[seat]
        return twin

    def digest(self) -> str:
        board = self.board
        facts = (
            f"eraser/1 {self.limit} {int(self.extra)} {self.turn} {self.points} {self.ending}"
            f" {self.combos} {self.best_combos} {board.lost()}\n"
        )
        return hashlib.sha256(facts.encode() + board.codes() + board.stock).hexdigest()[:32]

    def __str__(self) -> str:
        return str(self.board)


def refusal(seat: int, move: str) -> IllegalMove:
    """Why a text is not a move: the original's checks in its order."""
    digits = len(move) == 4 and move.isascii() and move.isdecimal()
    if not digits:
        return IllegalMove(
            seat,
            move,
            "expected two neighbouring cells 'x1y1x2y2', like 1222 for (1,2) and (2,2)",
            "应为相邻两格“x1y1x2y2”，例如 1222 表示 (1,2) 与 (2,2)",
        )
    x1, y1, x2, y2 = map(int, move)
    if abs(x1 - x2) + abs(y1 - y2) != 1:
        return IllegalMove(seat, move, "the two cells are not neighbours", "两格不相邻")
    return IllegalMove(
        seat,
        move,
        "both cells must be on the main board, columns and rows 0 to 5",
        "两格都必须在主棋盘内，列与行为 0 到 5",
    )
