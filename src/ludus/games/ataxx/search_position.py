"""Ataxx as a tree search walks on it and as a network sees it, compiled.

Planes: the mover's pieces, the rival's pieces, and the share of the moves that are left. An action
is a target cell, row by row, and how a piece comes there: ``17 * cell`` for one that is added, or
``17 * cell + 1`` to ``+ 16`` for a jump from one of the cells two steps away, row by row.
"""

from __future__ import annotations

from typing import Any

import cython

from ludus.games.ataxx.rules import AtaxxPosition, move_text

if not cython.compiled:
    from ludus.games.ataxx.board import grow, mix
    from ludus.games.ataxx.constants import MAX_MOVES, NO_WINNER, ONGOING, WIDTH
    from ludus.games.bits import count_bits
    from ludus.games.search_position import SearchPosition, below, mixed
else:
    from cython.cimports.ludus.games.ataxx.board import (  # type: ignore[no-redef]
        grow,
        mix,
    )
    from cython.cimports.ludus.games.ataxx.constants import (  # type: ignore[no-redef]
        MAX_MOVES,
        NO_WINNER,
        ONGOING,
        WIDTH,
    )
    from cython.cimports.ludus.games.bits import count_bits  # type: ignore[no-redef]
    from cython.cimports.ludus.games.search_position import (  # type: ignore[no-redef]
        SearchPosition,
        below,
        mixed,
    )

PLANES = 3
WAYS = cython.declare(cython.int, 17)
"""Ways in which a piece can come to a cell."""
DRAWN = cython.declare(cython.int, 16)
"""Moves that are drawn in a random bout, of which the one that gains most is made."""
ONE = cython.declare(cython.ulonglong, 1)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def count_gain(move: cython.int, rival: cython.ulonglong) -> cython.int:
    """By how much a move changes the difference of pieces."""
    turned: cython.int = count_bits(grow(ONE << (move & 63)) & rival)
    return 2 * turned + (1 if move >> 6 == move & 63 else 0)


@cython.final
@cython.cclass
class AtaxxSearchPosition(SearchPosition):
    """A position."""

    def __init__(self, position: AtaxxPosition) -> None:
        size = position.size
        self.planes, self.cells, self.actions = PLANES, size**2, int(WAYS) * size**2
        self.board = position.board.copy()
        self.settle()

    def copy(self) -> AtaxxSearchPosition:
        twin: AtaxxSearchPosition = AtaxxSearchPosition.__new__(AtaxxSearchPosition)
        twin.planes, twin.cells, twin.actions = self.planes, self.cells, self.actions
        twin.board = self.board.copy()
        twin.settle()
        return twin

    def codes(self) -> bytes:
        """0 empty, 1 black, 2 white."""
        size = self.board.size
        black, white = self.board.cells(0), self.board.cells(1)
        cells = [int(WIDTH) * row + column for row in range(size) for column in range(size)]
        return bytes((black >> cell & 1) + 2 * (white >> cell & 1) for cell in cells)

    def text(self, move: int) -> str:
        return move_text(move)

    @property
    def ply(self) -> int:
        return self.board.ply

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def settle(self) -> cython.void:
        """Set who is to move, or how the bout ended."""
        self.seat = self.board.side
        self.over = self.board.ending != ONGOING
        self.score = 0.0
        if self.over and self.board.winner != NO_WINNER:
            self.score = 1.0 if self.board.winner == 0 else -1.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fill(self, moves: cython.p_int) -> cython.int:
        return self.board.fill(moves)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def make(self, move: cython.int) -> cython.void:
        self.board.make(move)
        self.settle()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def become(self, other: SearchPosition) -> cython.void:
        self.board.become(cython.cast(AtaxxSearchPosition, other).board)
        self.settle()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def action(self, move: cython.int) -> cython.int:
        row: cython.int = (move & 63) // WIDTH
        column: cython.int = (move & 63) % WIDTH
        down: cython.int = (move >> 6) // WIDTH - row
        right: cython.int = (move >> 6) % WIDTH - column
        first: cython.int = WAYS * (row * self.board.size + column)
        if down == 0 and right == 0:
            return first
        if down == -2 or down == 2:
            return first + (3 if down == -2 else 14) + right
        return first + 6 + 2 * (down + 1) + (1 if right > 0 else 0)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    @cython.locals(out="float[::1]")
    def encode(self, out: Any, at: cython.Py_ssize_t) -> cython.void:
        size: cython.int = self.board.size
        limit: cython.int = self.board.limit
        left: cython.float = (limit - self.board.ply) / cython.cast(cython.double, limit)
        own: cython.ulonglong = self.board.pieces[self.seat]
        rival: cython.ulonglong = self.board.pieces[1 - self.seat]
        cell: cython.int
        row: cython.int
        column: cython.int
        for row in range(size):
            for column in range(size):
                cell = WIDTH * row + column
                out[at] = (own >> cell) & 1
                out[at + self.cells] = (rival >> cell) & 1
                out[at + 2 * self.cells] = left
                at += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def key(self) -> cython.ulonglong:
        ply: cython.ulonglong = 2 * self.board.ply + self.board.side + 1
        return self.board.key() ^ mix(ply)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rollout(self, seed: cython.ulonglong) -> cython.double:
        """Of a few random moves the one that gains most pieces, until the end.

        Among all moves most are jumps that gain nothing, so that quite random bouts tell little.
        """
        if cython.compiled:
            moves = cython.declare(cython.int[MAX_MOVES])  # type: ignore[misc, valid-type]
        else:
            moves = [0] * MAX_MOVES
        found: cython.int
        move: cython.int
        best: cython.int = 0
        gain: cython.int
        most: cython.int
        while not self.over:
            found = self.fill(moves)
            most = -1
            for _ in range(DRAWN):
                seed = mixed(seed)
                move = moves[below(seed, found)]
                gain = count_gain(move, self.board.pieces[1 - self.seat])
                if gain > most:
                    best, most = move, gain
            self.make(best)
        return self.score
