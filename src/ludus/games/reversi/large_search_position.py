"""Reversi on boards of more than eight rows as a tree search walks on it, compiled.

What a network sees and what an action is, is the same as in ``search_position.py``.
"""

from __future__ import annotations

from typing import Any

import cython

if not cython.compiled:
    from ludus.games.reversi.rules import ReversiPosition
    from ludus.games.search_position import SearchPosition
else:
    from cython.cimports.ludus.games.reversi.rules import (  # type: ignore[no-redef]
        ReversiPosition,
    )
    from cython.cimports.ludus.games.search_position import SearchPosition  # type: ignore[no-redef]

from ludus.games.reversi.rules import NAMES

WIDTH = cython.declare(cython.int, 14)  # of the frame in rules.py
EMPTY = cython.declare(cython.int, 2)


@cython.final
@cython.cclass
class LargeReversiSearchPosition(SearchPosition):
    """A position. Its rules are Python objects, so each step takes the interpreter's lock."""

    def __init__(self, position: ReversiPosition) -> None:
        size = position.size
        self.planes, self.cells, self.actions = 3, size * size, size * size
        self.position = position.copy()
        self.settle()

    def copy(self) -> LargeReversiSearchPosition:
        return LargeReversiSearchPosition(self.position)

    def codes(self) -> bytes:
        """0 empty, 1 black, 2 white."""
        size = self.position.size
        firsts = [WIDTH * (row + 1) + 1 for row in range(size)]
        discs = b"".join([bytes(self.position.cells[first : first + size]) for first in firsts])
        return discs.translate(bytes([1, 2, 0]).ljust(256, b"\0"))

    def text(self, move: int) -> str:
        return NAMES[move]

    @cython.cfunc
    @cython.exceptval(check=False)
    def settle(self) -> cython.void:
        position: ReversiPosition = self.position
        lead: cython.int
        self.seat = position.seat
        self.over = not position.choices
        self.score = 0.0
        if self.over:
            lead = position.cells.count(0) - position.cells.count(1)
            self.score = (lead > 0) - (lead < 0)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fill(self, moves: cython.p_int) -> cython.int:
        found: cython.int = 0
        with cython.gil:
            for cell in self.position.choices:
                moves[found] = cell
                found += 1
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def make(self, move: cython.int) -> cython.void:
        with cython.gil:
            self.position.put(move)
            self.settle()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def become(self, other: SearchPosition) -> cython.void:
        with cython.gil:
            self.position = cython.cast(LargeReversiSearchPosition, other).position.copy()
            self.settle()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def action(self, move: cython.int) -> cython.int:
        size: cython.int = self.position.size
        return (move // WIDTH - 1) * size + move % WIDTH - 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    @cython.locals(out="float[::1]")
    def encode(self, out: Any, at: cython.Py_ssize_t) -> cython.void:
        size: cython.int = self.position.size
        row: cython.int
        column: cython.int
        cell: cython.int
        held: cython.int
        with cython.gil:
            cells: bytearray = self.position.cells
            for row in range(size):
                for column in range(size):
                    held = cells[(row + 1) * WIDTH + column + 1]
                    cell = at + row * size + column
                    out[cell] = held == self.seat
                    out[cell + self.cells] = held == 1 - self.seat
                    out[cell + 2 * self.cells] = 0.0
            for choice in self.position.choices:
                cell = (choice // WIDTH - 1) * size + choice % WIDTH - 1
                out[at + cell + 2 * self.cells] = 1.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def key(self) -> cython.ulonglong:
        word: cython.ulonglong
        with cython.gil:
            seen = hash(bytes(self.position.cells)) * 2 + self.seat
            word = seen & 0xFFFFFFFFFFFFFFFF
        return word
