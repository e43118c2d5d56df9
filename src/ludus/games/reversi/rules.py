# The annotations are for people; the C types are in rules.pxd.
# cython: annotation_typing=False

"""The rules of Reversi: the file to read first if you want to see how a Ludus game is made.

A position says who is to move, what is legal and what a move does, and nothing else: it reads no
clock, no file and no random numbers, so that the moves of a bout give the same bout everywhere.
It is plain Python, and compiled by Cython where there is a C compiler.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from ludus.games.base import IllegalMove, Outcome, only_move
from ludus.games.reversi.view import view

# A board of any size lies in the same frame of cells, numbered row by row, with edge all around
# it. One step in a direction adds the same number everywhere, and no walk leaves the frame.
LARGEST = 12
WIDTH = LARGEST + 2
STEPS = [-WIDTH - 1, -WIDTH, -WIDTH + 1, -1, 1, WIDTH - 1, WIDTH, WIDTH + 1]

# What a cell holds: a disc, which is the number of its owner's seat, or nothing, or the edge.
BLACK, WHITE, EMPTY, EDGE = range(4)
SIGNS = "xo."

# What people call the cells: columns are letters, rows are numbers from the top, as in "d3".
CELLS = {
    f"{letter}{row}": row * WIDTH + column
    for row in range(1, LARGEST + 1)
    for column, letter in enumerate("abcdefghijkl", 1)
}
NAMES = {cell: name for name, cell in CELLS.items()}


def opening(size: int) -> str:
    """A board with four discs in the middle, as a picture: ``x`` black, ``o`` white."""
    empty = ["." * size] * (size // 2 - 1)
    return "\n".join([*empty, "ox".center(size, "."), "xo".center(size, "."), *empty])


def enclosed(cells: bytearray, seat: int, cell: int, step: int) -> int:
    """How many rival discs lie, in one direction, between a cell and the seat's next disc."""
    there = cell + step
    while cells[there] == 1 - seat:
        there += step
    return (there - cell) // step - 1 if cells[there] == seat else 0


class ReversiPosition:
    """A moment of a bout. ``seat`` is to move; ``last`` was played and ``turned`` those discs."""

    def __init__(self, picture: str, seat: int = 0) -> None:
        """The position in a picture like ``opening`` draws; the seat moves if it can."""
        rows = picture.replace(" ", "").split()
        self.size = len(rows)
        if self.size > LARGEST or any(len(row) != self.size for row in rows):
            raise ValueError(f"expected a square of at most {LARGEST} rows, got:\n{picture}")
        self.cells = bytearray([EDGE]) * (WIDTH * WIDTH)
        for row, signs in enumerate(rows, 1):
            for column, sign in enumerate(signs, 1):
                self.cells[row * WIDTH + column] = SIGNS.index(sign)
        self.last = ""
        self.turned: tuple[str, ...] = ()
        self.outcome: Outcome | None = None
        self.pass_to(seat)

    @property
    def to_move(self) -> tuple[int, ...]:
        return (self.seat,) if self.choices else ()

    def legal(self, seat: int) -> list[str]:
        if seat not in self.to_move:
            return []
        return [NAMES[cell] for cell in self.choices]

    def play(self, moves: Mapping[int, str]) -> None:
        move = only_move(self.seat, moves, self.outcome)
        cell = CELLS.get(move, 0)
        if cell not in self.choices:
            raise IllegalMove(self.seat, move, *self.why_not(cell))
        turned = self.put(cell)
        self.last, self.turned = move, tuple([NAMES[each] for each in turned])

    def put(self, cell: int) -> list[int]:
        """Put a disc of the seat to move on one of its choices; returns the cells that turn."""
        turned = [
            cell + distance * step
            for step in STEPS
            for distance in range(1, enclosed(self.cells, self.seat, cell, step) + 1)
        ]
        self.cells[cell] = self.seat
        for each in turned:
            self.cells[each] = self.seat
        self.pass_to(1 - self.seat)
        return turned

    def pass_to(self, seat: int) -> None:
        """Let a seat move, or the other if it cannot; if neither can, the bout is over."""
        for mover in (seat, 1 - seat):
            self.seat, self.choices = mover, self.cells_for(mover)
            if self.choices:
                return
        self.outcome = result(self.cells.count(BLACK), self.cells.count(WHITE))

    def cells_for(self, seat: int) -> tuple[int, ...]:
        """The cells where a disc of the seat would enclose rival discs, row by row."""
        cells, found = self.cells, []
        for cell in range(WIDTH, WIDTH * (self.size + 1)):
            if cells[cell] == EMPTY:
                for step in STEPS:
                    if enclosed(cells, seat, cell, step):
                        found.append(cell)
                        break
        return tuple(found)

    def discs(self, seat: int) -> list[str]:
        """The cells with discs of a seat, row by row."""
        return [name for name, cell in CELLS.items() if self.cells[cell] == seat]

    def why_not(self, cell: int) -> tuple[str, str]:
        """What is wrong with a move that cannot be played, in English and in Chinese."""
        if self.cells[cell] == EDGE:
            corner = NAMES[self.size * (WIDTH + 1)]
            return f"expected a cell from a1 to {corner}", f"应为 a1 到 {corner} 的格子"
        if self.cells[cell] != EMPTY:
            return "there is a disc already", "该格已有棋子"
        return "a disc there encloses no rival disc", "下在该格夹不住对方的棋子"

    def copy(self) -> ReversiPosition:
        twin: ReversiPosition = ReversiPosition.__new__(ReversiPosition)
        twin.size, twin.seat = self.size, self.seat
        twin.cells = self.cells[:]
        twin.choices = self.choices
        twin.last, twin.turned, twin.outcome = self.last, self.turned, self.outcome
        return twin

    def digest(self) -> str:
        return hashlib.sha256(f"reversi/1 {self.to_move}\n{self}".encode()).hexdigest()[:32]

    def view(self, seat: int | None = None) -> dict[str, Any]:
        return view(self)

    def __str__(self) -> str:
        firsts = range(WIDTH + 1, WIDTH * (self.size + 1), WIDTH)
        rows = [self.cells[cell : cell + self.size] for cell in firsts]
        return "\n".join(" ".join(SIGNS[disc] for disc in row) for row in rows)


def result(black: int, white: int) -> Outcome:
    """The seat with more discs wins."""
    if black == white:
        return Outcome((0.5, 0.5), "tied", {"discs": black})
    scores = (1.0, 0.0) if black > white else (0.0, 1.0)
    return Outcome(scores, "discs", {"black": black, "white": white})
