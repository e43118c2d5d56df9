"""Duel 2048 as a tree search walks on it and as a network sees it, compiled.

Both seats know the random sequence from the first move on, so the search follows it and nothing
below the root is left to chance. A move is a number: a cell, or 32 and a heading.

A network sees the board from the mover's side: the second seat's is turned by 180 degrees, so that
the mover's territory is always on the left, and actions are turned alike. Planes: the mover's tiles
of level 1, 2, … 11 and above, the rival's alike; the cell of its own territory that the mover may
fill in this round, and the rival's where it is known; whether tiles are merged; whether the
mover is the first seat; the rounds left, as a share of 512 and of 32.
"""

from __future__ import annotations

from typing import Any

import cython

from ludus.games.duel2048.rules import CELL_NAMES, DIRECTIONS, score

if not cython.compiled:
    from ludus.games.duel2048.board import Chessboard
    from ludus.games.duel2048.rules import DuelPosition, phase_is_closed
    from ludus.games.duel2048.tiles import copy_tiles
    from ludus.games.search_position import SearchPosition
else:
    from cython.cimports.ludus.games.duel2048.board import (  # type: ignore[no-redef]
        Chessboard,
    )
    from cython.cimports.ludus.games.duel2048.rules import (  # type: ignore[no-redef]
        DuelPosition,
        phase_is_closed,
    )
    from cython.cimports.ludus.games.duel2048.tiles import copy_tiles  # type: ignore[no-redef]
    from cython.cimports.ludus.games.search_position import SearchPosition  # type: ignore[no-redef]

SEEN_LEVELS = 11
"""Levels that a network tells apart; those above look like the last."""
PLANES = 2 * SEEN_LEVELS + 6
ACTIONS = 36
MARKED_CELL = 64
"""The code of an empty cell that its territory's seat may fill in this round."""
LUCK_BYTES = 4
"""Bytes of a state on the accelerator that hold its luck; a network does not see them."""
LONG_ROUNDS, SHORT_ROUNDS = 512, 32
"""The rounds left are shown as shares of these."""

CELLS = cython.declare(cython.int, 32)
SEEN = cython.declare(cython.int, SEEN_LEVELS)
FIRST_HOME = cython.declare(cython.uint, 0x0F0F0F0F)
SECOND_HOME = cython.declare(cython.uint, 0xF0F0F0F0)
PRIME = cython.declare(cython.ulonglong, 0x100000001B3)
WORD = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
MIX = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)


@cython.final
@cython.cclass
class DuelSearchPosition(SearchPosition):
    """A position."""

    def __init__(self, position: DuelPosition) -> None:
        self.planes, self.cells, self.actions = PLANES, 32, ACTIONS
        self.board = Chessboard(position.board.array)
        self.tried = Chessboard(position.board.array)
        copy_tiles(position.board, self.board)
        self.phase, self.end = position.phase, 4 * position.rounds
        self.settle()

    def copy(self) -> DuelSearchPosition:
        twin: DuelSearchPosition = DuelSearchPosition.__new__(DuelSearchPosition)
        twin.planes, twin.cells, twin.actions = self.planes, self.cells, self.actions
        twin.board, twin.tried = Chessboard(self.board.array), Chessboard(self.board.array)
        twin.become(self)
        return twin

    def codes(self) -> bytes:
        """Tiles of the first seat by their level, of the second by its negative."""
        codes = bytearray(32 + LUCK_BYTES)
        for cell in range(32):
            level = min(int(self.board.level[cell]), MARKED_CELL - 1)
            if level:
                codes[cell] = level if self.board.owned_by_first(cell) else 256 - level
            elif cell in (self.own_cell, self.rival_cell):
                codes[cell] = MARKED_CELL
        return bytes(codes)

    def text(self, move: int) -> str:
        return CELL_NAMES[move] if move < CELLS else DIRECTIONS[move - CELLS]

    @property
    def ply(self) -> int:
        """The phase: four to a round, skipped ones too."""
        return self.phase

    @property
    def has_board_of_game(self) -> bool:
        return False

    @property
    def moves_left(self) -> int:
        return int(self.end - self.phase + 1) // 2

    @cython.cfunc
    def settle(self) -> cython.void:
        """Go on to the next phase that can be played, or to the end."""
        board: Chessboard = self.board
        while self.phase < self.end and phase_is_closed(self.board, self.phase):
            self.phase += 1
            if board.full() and board.stuck(True) and board.stuck(False):
                self.phase = self.end
        self.seat = self.phase & 1
        self.over, self.score = False, 0.0
        self.own_cell = self.rival_cell = -1
        if self.phase >= self.end:
            self.over = True
            first, second = score(board).scores
            self.score = first - second
        elif not self.phase & 2:
            self.own_cell = self.cell_for(self.seat == 0)
            if self.seat == 0:
                self.rival_cell = self.cell_for(False)

    @cython.cfunc
    @cython.exceptval(check=False)
    def cell_for(self, first: cython.bint) -> cython.int:
        """The cell of its own territory that a seat may fill in this round, or -1."""
        taken: cython.uint = self.board.first | self.board.second
        if not (FIRST_HOME if first else SECOND_HOME) & ~taken:
            return -1
        return self.board.spot(first, self.board.array[self.phase >> 2])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fill(self, moves: cython.p_int) -> cython.int:
        found: cython.int = 0
        number: cython.int
        if self.over:
            return 0
        if self.phase & 2:
            with cython.gil:
                for number in range(4):
                    copy_tiles(self.board, self.tried)
                    if self.tried.merge(self.seat == 0, number):
                        moves[found] = CELLS + number
                        found += 1
            return found
        free: cython.uint = ~(self.board.first | self.board.second)
        free &= SECOND_HOME if self.seat == 0 else FIRST_HOME
        for number in range(CELLS):
            if (free >> number) & 1 or number == self.own_cell:
                moves[found] = number
                found += 1
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def make(self, move: cython.int) -> cython.void:
        with cython.gil:
            if move < CELLS:
                self.board.put(move, 1)
            else:
                self.board.merge(self.seat == 0, move - CELLS)
            self.phase += 1
            self.settle()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def become(self, other: SearchPosition) -> cython.void:
        with cython.gil:
            source: DuelSearchPosition = cython.cast(DuelSearchPosition, other)
            copy_tiles(source.board, self.board)
            self.phase, self.end = source.phase, source.end
            self.seat, self.over, self.score = source.seat, source.over, source.score
            self.own_cell, self.rival_cell = source.own_cell, source.rival_cell

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def action(self, move: cython.int) -> cython.int:
        if self.seat == 0:
            return move
        return CELLS - 1 - move if move < CELLS else CELLS + ((move - CELLS) ^ 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    @cython.locals(out="float[::1]")
    def encode(self, out: Any, at: cython.Py_ssize_t) -> cython.void:
        own: cython.uint = self.board.first if self.seat == 0 else self.board.second
        left: cython.int = (self.end - self.phase + 3) >> 2
        cell: cython.int
        place: cython.int
        level: cython.int
        number: cython.int
        for number in range((2 * SEEN + 2) * CELLS):
            out[at + number] = 0.0
        for cell in range(CELLS):
            place = cell if self.seat == 0 else CELLS - 1 - cell
            level = self.board.level[cell]
            if level:
                number = (level if level < SEEN else SEEN) - 1
                out[at + (number if (own >> cell) & 1 else SEEN + number) * CELLS + place] = 1.0
            elif cell == self.own_cell:
                out[at + 2 * SEEN * CELLS + place] = 1.0
            elif cell == self.rival_cell:
                out[at + (2 * SEEN + 1) * CELLS + place] = 1.0
        at += (2 * SEEN + 2) * CELLS
        for cell in range(CELLS):
            out[at + cell] = 1.0 if self.phase & 2 else 0.0
            out[at + CELLS + cell] = 1.0 if self.seat == 0 else 0.0
            out[at + 2 * CELLS + cell] = (left if left < 512 else 512) / 512.0
            out[at + 3 * CELLS + cell] = (left if left < 32 else 32) / 32.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def key(self) -> cython.ulonglong:
        word: cython.ulonglong = (cython.cast(cython.ulonglong, self.phase + 1) * MIX) & WORD
        code: cython.ulonglong
        cell: cython.int
        for cell in range(CELLS):
            code = self.board.level[cell] * 2 + ((self.board.first >> cell) & 1)
            word = ((word ^ code) * PRIME) & WORD
            word ^= word >> 29
        return (word * MIX) & WORD
