"""Eraser as a tree search walks on it and as a network sees it, compiled.

Both seats see the whole reserve, so the search follows it and nothing below the root is left to
chance. A move is the number of a swap in ``SWAPS``.

The network's board is the main board, a row for each of its columns. Planes: the pieces of each of
the five colours; those of the six rows above, which will fall; empty cells; the swaps with the
right neighbour and with the one above that erase something; the mover's lead in points as a
share of 8, 64 and 512; the turns left as a share of 256 and of 16, and whether the mover has the
last of them. Actions: two for each cell, its swap with the right neighbour and with the one above.
"""

from __future__ import annotations

from typing import Any

import cython

from ludus.games.eraser.board import NAMES, SWAPS

if not cython.compiled:
    from ludus.games.eraser.board import ROWS, Board
    from ludus.games.eraser.rules import EraserPosition
    from ludus.games.search_position import SearchPosition
else:
    from cython.cimports.ludus.games.eraser.board import Board  # type: ignore[no-redef]
    from cython.cimports.ludus.games.eraser.rules import (  # type: ignore[no-redef]
        EraserPosition,
    )
    from cython.cimports.ludus.games.search_position import SearchPosition  # type: ignore[no-redef]

    ROWS = cython.declare(cython.int, 1200)

COLOURS = 5
PLANES = 2 * COLOURS + 9
ACTIONS = 72
SEEN_ROWS = 12
"""Rows of a state: the main board and those above it that a network sees."""
LEAD_BYTES, LUCK_BYTES = 2, 16
"""Bytes of a state for the lead, and for the luck of a bout on the accelerator and for how many
pieces each column has lost; a network does not see the latter."""
LEAD_SCALES = (8, 64, 512)
"""The lead is shown as a share of each of these, at most 1."""
LONG_TURNS, SHORT_TURNS = 256, 16
"""The turns left are shown as shares of these."""

SIDE_SWAPS = cython.declare(cython.int, 30)
"""Swaps with the right neighbour come first, column by column."""
HUES = cython.declare(cython.int, COLOURS)
CELLS = cython.declare(cython.int, 36)
PRIME = cython.declare(cython.ulonglong, 0x100000001B3)
WORD = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
MIX = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def share(number: cython.int, whole: cython.int) -> cython.float:
    """A number as a share of another, between -1 and 1."""
    if number >= whole:
        return 1.0
    if number <= -whole:
        return -1.0
    return cython.cast(cython.float, number) / whole


@cython.final
@cython.cclass
class EraserSearchPosition(SearchPosition):
    """A position."""

    def __init__(self, position: EraserPosition) -> None:
        self.planes, self.cells, self.actions = PLANES, 36, ACTIONS
        self.board = position.board.copy()
        self.turn, self.limit, self.extra = position.turn, position.limit, position.extra
        first, second = position.points
        self.lead = first - second
        if not cython.compiled:
            self.above = [0] * 36
        self.settle(position.ending != "")

    def copy(self) -> EraserSearchPosition:
        twin: EraserSearchPosition = EraserSearchPosition.__new__(EraserSearchPosition)
        twin.planes, twin.cells, twin.actions = self.planes, self.cells, self.actions
        twin.board = self.board.copy()
        if not cython.compiled:
            twin.above = [0] * 36
        twin.become(self)
        return twin

    def codes(self) -> bytes:
        """The colours of the lowest rows of each column, bottom first; then the first's lead."""
        main, above = self.board.codes(), bytes([self.above[cell] for cell in range(36)])
        columns = [main[i : i + 6] + above[i : i + 6] for i in range(0, 36, 6)]
        lead = max(-32768, min(int(self.lead), 32767))
        return b"".join(columns) + lead.to_bytes(2, "little", signed=True) + bytes(LUCK_BYTES)

    def text(self, move: int) -> str:
        return NAMES[move]

    @property
    def ply(self) -> int:
        """The turns played."""
        return self.turn

    @property
    def has_board_of_game(self) -> bool:
        return False

    @property
    def moves_left(self) -> int:
        return int(self.limit - self.turn + 1) // 2

    @cython.cfunc
    def settle(self, last_chance: cython.bint) -> cython.void:
        """Set who is to move, or how the bout ended; ``last_chance``: no turn may follow."""
        board: Board = self.board
        holed: cython.bint = board.holed()
        self.seat = self.turn & 1
        self.over = (
            last_chance or self.turn >= self.limit or (holed and not self.extra) or board.stuck()
        )
        self.score = 0.0
        if self.over:
            self.score = (self.lead > 0) - (self.lead < 0)
        self.look_above()

    @cython.cfunc
    def look_above(self) -> cython.void:
        """Note what lies in the six rows above the main board."""
        board: Board = self.board
        stock: bytes = board.stock
        x: cython.int
        y: cython.int
        row: cython.int
        for x in range(6):
            for y in range(6):
                row = 6 + board.gone[x] + y
                self.above[6 * x + y] = stock[ROWS * x + row] if row < ROWS else 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def turns_left(self) -> cython.int:
        """Turns until the bout ends, if no swap becomes impossible before."""
        if self.board.mask[0]:
            return 1
        return self.limit - self.turn

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fill(self, moves: cython.p_int) -> cython.int:
        number: cython.int
        if self.over:
            return 0
        for number in range(60):
            moves[number] = number
        return 60

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def make(self, move: cython.int) -> cython.void:
        gained: cython.int
        holed: cython.bint
        with cython.gil:
            holed = self.board.holed()
            one, other = SWAPS[move]
            gained = self.board.exchange(one, other)
            self.lead += gained if self.seat == 0 else -gained
            self.turn += 1
            self.settle(holed)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def become(self, other: SearchPosition) -> cython.void:
        cell: cython.int
        with cython.gil:
            source: EraserSearchPosition = cython.cast(EraserSearchPosition, other)
            self.board.become(source.board)
            self.turn, self.limit, self.extra = source.turn, source.limit, source.extra
            self.lead = source.lead
            self.seat, self.over, self.score = source.seat, source.over, source.score
            for cell in range(36):
                self.above[cell] = source.above[cell]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def action(self, move: cython.int) -> cython.int:
        if move < SIDE_SWAPS:
            return 2 * move
        move -= SIDE_SWAPS
        return 2 * (6 * (move % 6) + move // 6) + 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    @cython.locals(out="float[::1]")
    def encode(self, out: Any, at: cython.Py_ssize_t) -> cython.void:
        side: cython.ulonglong
        up: cython.ulonglong
        cell: cython.int
        code: cython.int
        plane: cython.Py_ssize_t
        left: cython.int = self.turns_left()
        lead: cython.int = self.lead if self.seat == 0 else -self.lead
        with cython.gil:
            side, up = self.board.sideways(), self.board.upright()
        for cell in range(2 * HUES * CELLS):
            out[at + cell] = 0.0
        for cell in range(CELLS):
            plane = at + cell
            code = self.board.cell[cell]
            if 0 < code <= HUES:
                out[plane + (code - 1) * CELLS] = 1.0
            code = self.above[cell]
            if 0 < code <= HUES:
                out[plane + (HUES + code - 1) * CELLS] = 1.0
            plane += 2 * HUES * CELLS
            out[plane] = 1.0 if self.board.cell[cell] == 0 else 0.0
            out[plane + CELLS] = (side >> cell) & 1
            out[plane + 2 * CELLS] = (up >> cell) & 1
            out[plane + 3 * CELLS] = share(lead, 8)
            out[plane + 4 * CELLS] = share(lead, 64)
            out[plane + 5 * CELLS] = share(lead, 512)
            out[plane + 6 * CELLS] = share(left, 256)
            out[plane + 7 * CELLS] = share(left, 16)
            out[plane + 8 * CELLS] = left & 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def key(self) -> cython.ulonglong:
        word: cython.ulonglong = (cython.cast(cython.ulonglong, self.turn + 1) * MIX) & WORD
        cell: cython.int
        for cell in range(CELLS):
            word = ((word ^ self.board.cell[cell]) * PRIME) & WORD
            word ^= word >> 29
        for cell in range(6):
            word = ((word ^ cython.cast(cython.ulonglong, self.board.gone[cell])) * PRIME) & WORD
            word ^= word >> 29
        word = ((word ^ cython.cast(cython.ulonglong, self.lead + 65536)) * PRIME) & WORD
        return ((word ^ (word >> 31)) * MIX) & WORD
