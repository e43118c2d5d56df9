"""Reversi as a tree search walks on it and as a network sees it, compiled; up to eight rows.

Planes: the mover's discs, the rival's discs, and where the mover may put one. An action is a cell,
row by row. A seat that cannot move is skipped, so there is no pass.
"""

from __future__ import annotations

from typing import Any

import cython

if not cython.compiled:
    from ludus.games.bits import count_bits, lowest_bit
    from ludus.games.reversi.bitboard import legal_cells, turned_cells
    from ludus.games.reversi.rules import ReversiPosition
    from ludus.games.search_position import SearchPosition
else:
    from cython.cimports.ludus.games.bits import (  # type: ignore[no-redef]
        count_bits,
        lowest_bit,
    )
    from cython.cimports.ludus.games.reversi.bitboard import (  # type: ignore[no-redef]
        legal_cells,
        turned_cells,
    )
    from cython.cimports.ludus.games.reversi.rules import (  # type: ignore[no-redef]
        ReversiPosition,
    )
    from cython.cimports.ludus.games.search_position import SearchPosition  # type: ignore[no-redef]

from ludus.games.reversi.bitboard import cells_of, read_position

ROWS = cython.declare(cython.int, 8)
HASH_OWN = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
HASH_RIVAL = cython.declare(cython.ulonglong, 0xC2B2AE3D27D4EB4F)
WORD = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


@cython.final
@cython.cclass
class ReversiSearchPosition(SearchPosition):
    """A position as three words; a move is the number of its cell on a board of eight rows."""

    def __init__(self, position: ReversiPosition) -> None:
        self.size = position.size
        self.planes, self.cells, self.actions = 3, self.size * self.size, self.size * self.size
        self.board = cells_of(position.size)
        self.seat = position.seat
        self.own, self.rival = read_position(position)
        self.settle()

    def copy(self) -> ReversiSearchPosition:
        twin: ReversiSearchPosition = ReversiSearchPosition.__new__(ReversiSearchPosition)
        twin.size, twin.board = self.size, self.board
        twin.planes, twin.cells, twin.actions = self.planes, self.cells, self.actions
        twin.become(self)
        return twin

    def codes(self) -> bytes:
        """0 empty, 1 black, 2 white."""
        black, white = int(self.own), int(self.rival)
        if self.seat:
            black, white = white, black
        numbers = [row * ROWS + column for row in range(self.size) for column in range(self.size)]
        return bytes([(black >> number & 1) + 2 * (white >> number & 1) for number in numbers])

    def text(self, move: int) -> str:
        return f"{'abcdefgh'[move % ROWS]}{move // ROWS + 1}"

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def settle(self) -> cython.void:
        """Find the moves of the seat to move, or of the other if it has none."""
        lead: cython.int
        self.over, self.score = False, 0.0
        self.choices = legal_cells(self.own, self.rival, self.board)
        if self.choices:
            return
        self.choices = legal_cells(self.rival, self.own, self.board)
        self.own, self.rival = self.rival, self.own
        self.seat = 1 - self.seat
        if not self.choices:
            self.over = True
            lead = count_bits(self.own) - count_bits(self.rival)
            if self.seat:
                lead = -lead
            self.score = (lead > 0) - (lead < 0)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fill(self, moves: cython.p_int) -> cython.int:
        found: cython.int = 0
        left: cython.ulonglong = self.choices
        while left:
            moves[found] = lowest_bit(left)
            left &= left - 1
            found += 1
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def make(self, move: cython.int) -> cython.void:
        one: cython.ulonglong = 1
        disc: cython.ulonglong = one << move
        turned: cython.ulonglong = turned_cells(self.own, self.rival, disc)
        self.own, self.rival = self.rival & ~turned, self.own | turned | disc
        self.seat = 1 - self.seat
        self.settle()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def become(self, other: SearchPosition) -> cython.void:
        self.own = cython.cast(ReversiSearchPosition, other).own
        self.rival = cython.cast(ReversiSearchPosition, other).rival
        self.choices = cython.cast(ReversiSearchPosition, other).choices
        self.seat, self.over, self.score = other.seat, other.over, other.score

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def action(self, move: cython.int) -> cython.int:
        return move // ROWS * self.size + move % ROWS

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    @cython.locals(out="float[::1]")
    def encode(self, out: Any, at: cython.Py_ssize_t) -> cython.void:
        row: cython.int
        column: cython.int
        number: cython.int
        for row in range(self.size):
            for column in range(self.size):
                number = row * ROWS + column
                out[at] = self.own >> number & 1
                out[at + self.cells] = self.rival >> number & 1
                out[at + 2 * self.cells] = self.choices >> number & 1
                at += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def key(self) -> cython.ulonglong:
        word: cython.ulonglong = self.own
        # A product carries bits upwards only: without the shifts discs on h8 and g8 would hardly
        # change the key.
        word = ((word ^ (word >> 32)) * HASH_OWN) & WORD
        word = ((word ^ (word >> 29) ^ self.rival) * HASH_RIVAL) & WORD
        word = ((word ^ (word >> 32)) * HASH_OWN) & WORD
        return word ^ (word >> 29) ^ self.seat
