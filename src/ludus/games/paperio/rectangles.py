"""Rectangles that a player of Paper.io can walk around: for bots that plan how to take land."""

from __future__ import annotations

import cython

if not cython.compiled:
    from ludus.games.paperio.field import Field
else:
    from cython.cimports.ludus.games.paperio.field import Field  # type: ignore[no-redef]

SIDES = (1, 2, 4, 6, 9, 13, 18, 24)
"""Lengths of the sides of rectangles that are tried."""
TURNS = {"S": 0, "R": 1, "L": 3}


@cython.final
@cython.cclass
class RectangleWalk:
    """A rectangle that is walked in thought, on a field that does not change meanwhile."""

    land: bytearray
    theirs: bytearray
    width: cython.int
    height: cython.int
    own: cython.int
    x: cython.int
    y: cython.int
    heading: cython.int
    steps: cython.int
    inside: cython.int
    """Steps on the own land after the first one."""
    reach: cython.int
    """Steps in which the opponent is at the nearest cell outside the own land."""

    def __init__(self, field: Field, seat: int, theirs: bytearray) -> None:
        """``theirs`` are the opponent's distances."""
        self.land, self.theirs = field.land, theirs
        self.width, self.height, self.own = field.width, field.height, seat + 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def step(self, turn: cython.int) -> cython.bint:
        """One step; False if it leaves the field or the opponent can cut the band by then."""
        self.heading = (self.heading + turn) & 3
        self.x += 1 if self.heading == 0 else -1 if self.heading == 2 else 0
        self.y += 1 if self.heading == 1 else -1 if self.heading == 3 else 0
        self.steps += 1
        if self.x < 0 or self.y < 0 or self.x >= self.width or self.y >= self.height:
            return False
        if not self.at_home():
            theirs: cython.p_uchar = self.theirs
            self.reach = min(self.reach, cython.cast(cython.int, theirs[self.cell()]))
        return self.reach > self.steps

    @cython.cfunc
    @cython.exceptval(check=False)
    def cell(self) -> cython.int:
        return self.x * self.height + self.y

    @cython.cfunc
    @cython.exceptval(check=False)
    def at_home(self) -> cython.bint:
        land: cython.p_uchar = self.land
        return cython.cast(cython.int, land[self.cell()]) == self.own

    @cython.cfunc
    @cython.exceptval(check=False)
    def straight(self, count: cython.int) -> cython.bint:
        """So many steps ahead."""
        while count > 0:
            if not self.step(0):
                return False
            count -= 1
        return True

    @cython.ccall
    def around(
        self,
        x: cython.int,
        y: cython.int,
        heading: cython.int,
        first: cython.int,
        side: cython.int,
        length: cython.int,
        width: cython.int,
    ) -> cython.int:
        """Out, across and back from a place: the steps of it, or 0 if it leaves the field, ends
        nowhere or can be cut. Turns are 0 ahead, 1 right, 3 left."""
        self.x, self.y, self.heading = x, y, heading
        self.steps, self.inside, self.reach = 0, 0, 255
        if not self.step(first):
            return 0
        while self.at_home():
            if not self.step(0):
                return 0
            self.inside += 1
        if not (self.straight(length - 1) and self.step(side) and self.straight(width - 1)):
            return 0
        turn: cython.int = side
        while not self.at_home():
            if not self.step(turn):
                return 0
            turn = 0
        return self.steps if self.reach > self.steps else 0


def best_rectangle(field: Field, seat: int, theirs: bytearray, first_moves: list[str]) -> list[str]:
    """The moves around the rectangle that gains most land per step, out of the opponent's reach.

    ``theirs`` are the opponent's ``distances``, ``first_moves`` those with which the walk may
    begin. Empty if no rectangle is safe. The player must be on its own land.
    """
    walk = RectangleWalk(field, seat, theirs)
    x, y, heading = field.heads[seat]
    best: list[str] = []
    gain = 0.0
    for first in first_moves:
        for side in "LR":
            for length in SIDES:
                for width in SIDES:
                    steps = walk.around(x, y, heading, TURNS[first], TURNS[side], length, width)
                    if steps and length * (width + 1) / steps > gain:
                        gain = length * (width + 1) / steps
                        out = first + "S" * (walk.inside + length - 1)
                        back = (side + "S" * steps)[: steps - len(out) - width]
                        best = [*out, side, *"S" * (width - 1), *back]
    return best
