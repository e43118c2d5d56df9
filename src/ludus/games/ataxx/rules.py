"""The rules of Ataxx, as Botzone's judge applies them.

Black begins, and the seats move in turn. A move puts a piece on an empty cell: beside a piece of
the mover, which stays where it is (the move is the name of the cell, ``b2``), or two steps away
from one, which jumps there (both cells, ``a1c2``). All rival pieces around it change sides.

The bout ends as soon as

- a move repeats: the boards of the last two moves, each as it was when the piece had been placed
  and nothing had turned yet, came up one after the other before. The mover loses;
- a seat has no pieces left and loses;
- a seat cannot move: the empty cells count as the other's, and more cells win;
- ``limit`` moves were made: more pieces win. Botzone ends a bout with the 401st move.

Columns are letters and rows are numbers from the top. Botzone's ``x`` is the column and its ``y``
the row, both from 0: ``{"x0": 0, "y0": 0, "x1": 2, "y1": 1}`` is ``a1c2``. There a piece that is
added also has a source, which may be any piece of the mover beside it and makes no difference:
``{"x0": 0, "y0": 0, "x1": 1, "y1": 1}`` is ``b2``. The first position is the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from typing import Any

import cython

from ludus.games.ataxx.constants import FULL, LIMIT, NO_PIECES, ONGOING, REPEATED, WIDTH
from ludus.games.ataxx.view import view
from ludus.games.base import IllegalMove, Outcome, only_move

if not cython.compiled:
    from ludus.games.ataxx.board import AtaxxBoard
else:
    from cython.cimports.ludus.games.ataxx.board import AtaxxBoard  # type: ignore[no-redef]

SIGNS = "xo"
SEATS = ((0,), (1,))
SIDES = ("black", "white")
SCORES = {0: (1.0, 0.0), 1: (0.0, 1.0), -1: (0.5, 0.5)}
"""By the seat that wins; -1 is neither."""
USUAL_LIMIT = 401

NAMES = [f"{letter}{row + 1}" for row in range(WIDTH) for letter in "abcdefgh"]
"""The name of each cell of the frame in board.py."""


@cache
def numbers(size: int) -> dict[str, int]:
    """The number of every move that a board of the size can have, by its text."""
    cells = [WIDTH * row + column for row in range(size) for column in range(size)]
    found = {NAMES[cell]: 65 * cell for cell in cells}
    for source in cells:
        for target in cells:
            if distance(source, target) == 2:
                found[NAMES[source] + NAMES[target]] = 64 * source + target
    return found


def distance(source: int, target: int) -> int:
    """How many steps, straight or diagonal, lie between two cells of the frame."""
    (row, column), (to_row, to_column) = divmod(source, WIDTH), divmod(target, WIDTH)
    return max(abs(row - to_row), abs(column - to_column))


def move_text(move: int) -> str:
    """A move of board.py in the notation."""
    source, target = divmod(move, 64)
    return NAMES[target] if source == target else NAMES[source] + NAMES[target]


def cells_in(bits: int) -> list[int]:
    """The numbers of the bits that are set: cells of the frame, row by row."""
    return [cell for cell in range(WIDTH * WIDTH) if bits >> cell & 1]


def opening(size: int) -> str:
    """The first board, as a picture: ``x`` black, ``o`` white."""
    space = "." * (size - 2)
    return "\n".join([f"x{space}o", *["." * size] * (size - 2), f"o{space}x"])


@cython.cclass
class AtaxxPosition:
    """A moment of a bout. ``board`` is the compiled board under it; leave that to searches."""

    def __init__(self, picture: str, seat: int = 0, limit: int = USUAL_LIMIT) -> None:
        """The position in a picture like ``opening`` draws, with a seat to move."""
        rows = picture.replace(" ", "").split()
        size = len(rows)
        square = 2 <= size <= WIDTH and all(len(row) == size for row in rows)
        if not square or set(picture) - set("xo. \n"):
            raise ValueError(f"expected a square of at most {WIDTH} rows, got:\n{picture}")
        frame = "".join(row.ljust(WIDTH, ".") for row in rows)
        black, white = (
            sum(1 << cell for cell, sign in enumerate(frame) if sign == own) for own in SIGNS
        )
        self.board = AtaxxBoard(size, black, white, seat, limit)
        self.last = ""
        self.outcome: Outcome | None = self._ended()

    @property
    def to_move(self) -> tuple[int, ...]:
        return SEATS[self.board.side] if self.outcome is None else ()

    @property
    def size(self) -> int:
        """Rows and columns of the board."""
        return self.board.size

    @property
    def ply(self) -> int:
        """Moves made so far."""
        return self.board.ply

    @property
    def seat(self) -> int:
        """The seat to move; after the end, the one that would be."""
        return self.board.side

    def pieces(self, seat: int) -> list[str]:
        """The cells with pieces of a seat, row by row."""
        return [NAMES[cell] for cell in cells_in(self.board.cells(seat))]

    @property
    def turned(self) -> list[str]:
        """The cells where the last move turned a piece, row by row."""
        return [NAMES[cell] for cell in cells_in(self.board.turned_cells())]

    def legal(self, seat: int) -> list[str]:
        if self.outcome is not None or seat != self.board.side:
            return []
        return [move_text(move) for move in self.board.moves()]

    def play(self, moves: Mapping[int, str]) -> None:
        seat = self.board.side
        move = only_move(seat, moves, self.outcome)
        number = numbers(self.board.size).get(move)
        if number is None or not self.board.allows(number):
            raise IllegalMove(seat, move, *why_illegal(self, move, number))
        self.board.play(number)
        self.last = move
        self.outcome = self._ended()

    def _ended(self) -> Outcome | None:
        board = self.board
        if board.ending == ONGOING:
            return None
        scores, (black, white) = SCORES[board.winner], board.totals()
        facts = {"black": black, "white": white}
        if board.ending == REPEATED:
            return Outcome(scores, f"repeats_{SIDES[1 - board.winner]}")
        if board.ending == NO_PIECES:
            return Outcome(scores, f"no_pieces_{SIDES[1 - board.winner]}")
        if board.ending == LIMIT:
            return Outcome(scores, "limit", {"limit": board.limit, **facts})
        if board.ending == FULL:
            return Outcome(scores, "full", facts)
        return Outcome(scores, f"stuck_{SIDES[board.stuck_seat()]}", facts)

    def view(self, seat: int | None = None) -> dict[str, Any]:
        return view(self)

    def copy(self) -> AtaxxPosition:
        twin: AtaxxPosition = AtaxxPosition.__new__(AtaxxPosition)
        twin.board = self.board.copy()
        twin.last, twin.outcome = self.last, self.outcome
        return twin

    def digest(self) -> str:
        board = self.board
        facts = f"ataxx/1 {board.side} {board.ply} {board.limit} {board.history()}\n{self}"
        return hashlib.sha256(facts.encode()).hexdigest()[:32]

    def __str__(self) -> str:
        black, white = self.board.cells(0), self.board.cells(1)
        signs = ["x" if black >> c & 1 else "o" if white >> c & 1 else "." for c in range(64)]
        firsts = [WIDTH * row for row in range(self.size)]
        return "\n".join(" ".join(signs[first : first + self.size]) for first in firsts)


def why_illegal(position: AtaxxPosition, move: str, number: int | None) -> tuple[str, str]:
    """What is wrong with a move that was refused, in English and Chinese."""
    if number is None:
        corner = NAMES[(position.size - 1) * (WIDTH + 1)]
        return (
            f"expected a cell from a1 to {corner} beside a piece of yours, like b2, or two cells"
            " that are two steps apart, like a1c2",
            f"应为 a1 到 {corner} 中与己方棋子相邻的格子，例如 b2；或相距两步的两个格子，例如 a1c2",
        )
    source, target = divmod(number, 64)
    names = NAMES[source], NAMES[target]
    if (position.board.cells(0) | position.board.cells(1)) >> target & 1:
        return f"there is a piece on {names[1]} already", f"{names[1]} 上已有棋子"
    if source == target:
        return f"no piece of yours is beside {names[1]}", f"{names[1]} 旁边没有己方棋子"
    return f"there is no piece of yours on {names[0]}", f"{names[0]} 上没有己方棋子"
