"""The field of Paper.io: land, bands, heads, one step, and the filling of what is enclosed.

Cells are numbered column by column: ``x * height + y``; ``land`` and ``bands`` hold 0, 1 or 2
for nobody, the first and the second seat. Directions are 0 east, 1 south, 2 west, 3 north.
"""

from __future__ import annotations

import cython

WALL, BAND, SIDE, FACE, LAND, TURNS_OVER = 0, 1, 2, 3, 4, -3
"""How a bout ends, in the original's numbers."""
RUNNING = 9

Start = tuple[int, int, int, int]
"""Where a player begins: x, y, direction, and how far its land reaches around it."""


MARKS = cython.declare(cython.int, 5)
"""Values that one flood uses: the direction it came from, 1…4, or 5 for its first cell."""
LAST_BASE = cython.declare(cython.int, 245)
OPEN = cython.declare(cython.int, 255)
"""Marks a cell that is known to be connected with the outside."""


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def dx(heading: cython.int) -> cython.int:
    return 1 if heading == 0 else -1 if heading == 2 else 0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def dy(heading: cython.int) -> cython.int:
    return 1 if heading == 1 else -1 if heading == 3 else 0


@cython.final
@cython.cclass
class Field:
    """A field with two players on it, who move in turns."""

    def __init__(self, width: int, height: int, turns: int, starts: tuple[Start, Start]) -> None:
        """``starts`` says where each seat begins."""
        self.width = width
        self.height = height
        self.turns = turns
        self.steps = 0
        self.end, self.winner, self.mover = RUNNING, -1, -1
        self.land = bytearray(width * height)
        self.bands = bytearray(width * height)
        self.before: bytearray | None = None
        """The land as it was, if the last step closed a band."""
        self.trails = (bytearray(), bytearray())
        """For each seat the directions of the steps that laid its band, oldest first."""
        if not cython.compiled:
            self.xs, self.ys = [0, 0], [0, 0]
            self.headings, self.counts = [0, 0], [0, 0]
            self.boxes = [0] * 8
        self.counts[0] = self.counts[1] = 0
        self.land_low, self.land_high = 0, width - 1
        self.band_low, self.band_high = 0, width - 1
        for seat in range(2):
            x, y, heading, expand = starts[seat]
            self.place(seat, x, y, heading, expand)
        # If the first square is not the larger one, nothing is enclosed at the start. From there
        # on, what becomes enclosed lies beside the band that is just being closed; otherwise the
        # second square may lie inside the first one from the beginning, anywhere.
        self.tidy = starts[0][3] <= starts[1][3]
        if turns == 0:
            self.decide(TURNS_OVER)

    @cython.cfunc
    def place(
        self,
        seat: cython.int,
        x: cython.int,
        y: cython.int,
        heading: cython.int,
        expand: cython.int,
    ) -> cython.void:
        """Put a player and its square of land, as far as it is on the field."""
        self.xs[seat], self.ys[seat], self.headings[seat] = x, y, heading
        right: cython.int = self.width - 1
        bottom: cython.int = self.height - 1
        low_x: cython.int = max(x - expand, 0)
        high_x: cython.int = min(x + expand, right)
        low_y: cython.int = max(y - expand, 0)
        high_y: cython.int = min(y + expand, bottom)
        column: cython.int
        row: cython.int
        for column in range(low_x, high_x + 1):
            for row in range(low_y, high_y + 1):
                self.claim(seat, column * self.height + row)
        self.boxes[seat * 4] = min(low_x, right)
        self.boxes[seat * 4 + 1] = max(high_x, 0)
        self.boxes[seat * 4 + 2] = min(low_y, bottom)
        self.boxes[seat * 4 + 3] = max(high_y, 0)

    @property
    def heads(self) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """``(x, y, direction)`` of each seat."""
        return (
            (self.xs[0], self.ys[0], self.headings[0]),
            (self.xs[1], self.ys[1], self.headings[1]),
        )

    @property
    def areas(self) -> tuple[int, int]:
        """How many cells of land each seat has."""
        return (self.counts[0], self.counts[1])

    @cython.ccall
    def copy(self) -> Field:
        twin: Field = Field.__new__(Field)
        twin.width, twin.height = self.width, self.height
        twin.turns, twin.steps = self.turns, self.steps
        twin.end, twin.winner, twin.mover = self.end, self.winner, self.mover
        twin.land = bytearray(self.land)
        twin.bands = bytearray(self.bands)
        twin.before = self.before
        twin.trails = (bytearray(self.trails[0]), bytearray(self.trails[1]))
        twin.tidy = self.tidy
        twin.land_low, twin.land_high = self.land_low, self.land_high
        twin.band_low, twin.band_high = self.band_low, self.band_high
        if cython.compiled:
            twin.xs, twin.ys = self.xs, self.ys
            twin.headings, twin.counts = self.headings, self.counts
            twin.boxes = self.boxes
        else:
            twin.xs, twin.ys = self.xs[:], self.ys[:]
            twin.headings, twin.counts = self.headings[:], self.counts[:]
            twin.boxes = self.boxes[:]
        return twin

    @cython.ccall
    def step(self, turn: cython.int) -> cython.void:
        """The next player turns (0 straight, 1 right, 3 left) and moves one cell."""
        seat: cython.int = self.steps & 1
        heading: cython.int = (self.headings[seat] + turn) & 3
        x: cython.int = self.xs[seat] + dx(heading)
        y: cython.int = self.ys[seat] + dy(heading)
        self.headings[seat], self.xs[seat], self.ys[seat] = heading, x, y
        self.before = None
        self.mover = seat
        self.steps += 1
        if not (0 <= x < self.width and 0 <= y < self.height):
            trail: bytearray = self.trails[seat]
            trail.append(heading)
            self.finish(WALL, 1 - seat)
            return
        self.boxes[seat * 4] = min(self.boxes[seat * 4], x)
        self.boxes[seat * 4 + 1] = max(self.boxes[seat * 4 + 1], x)
        self.boxes[seat * 4 + 2] = min(self.boxes[seat * 4 + 2], y)
        self.boxes[seat * 4 + 3] = max(self.boxes[seat * 4 + 3], y)
        cell: cython.int = x * self.height + y
        if x == self.xs[1 - seat] and y == self.ys[1 - seat]:
            self.meet(seat, cell)
            return
        band: cython.int = self.bands[cell]
        self.settle(seat, cell)
        if band:
            self.finish(BAND, 2 - band)
        elif self.steps == 2 * self.turns:
            self.decide(TURNS_OVER)

    @cython.cfunc
    def meet(self, seat: cython.int, cell: cython.int) -> cython.void:
        """The mover came onto the other's head. The band under that head does not count."""
        if self.land[cell] == seat + 1:
            self.close(seat, True)
            self.finish(LAND, seat)
            return
        self.lay(seat, cell)
        if self.land[cell]:
            self.finish(LAND, 1 - seat)
        elif (self.headings[0] ^ self.headings[1]) & 1:
            self.finish(SIDE, seat)
        else:
            self.decide(FACE)

    @cython.cfunc
    def settle(self, seat: cython.int, cell: cython.int) -> cython.void:
        """At home a band is closed, elsewhere it grows."""
        if self.land[cell] != seat + 1:
            self.lay(seat, cell)
        elif self.trails[seat]:
            self.close(seat, not self.tidy)

    @cython.cfunc
    def lay(self, seat: cython.int, cell: cython.int) -> cython.void:
        x: cython.int = self.xs[seat]
        trail: bytearray = self.trails[seat]
        trail.append(self.headings[seat])
        self.bands[cell] = seat + 1
        self.band_low, self.band_high = min(self.band_low, x), max(self.band_high, x)

    @cython.cfunc
    def close(self, seat: cython.int, thorough: cython.bint) -> cython.void:
        """Turn the band into land and take whatever is enclosed by it.

        ``thorough`` looks everywhere, not only beside the band.
        """
        self.before = bytearray(self.land)
        marks: bytearray = bytearray(len(self.land))
        self.convert(seat)
        self.fill(seat, marks, thorough)
        trail: bytearray = self.trails[seat]
        trail.clear()

    @cython.cfunc
    def convert(self, seat: cython.int) -> cython.int:
        """The band becomes land; it is walked from the cell before the head to its beginning."""
        height: cython.int = self.height
        trail: bytearray = self.trails[seat]
        path: cython.p_uchar = trail
        bands: cython.p_uchar = self.bands
        heading: cython.int = self.headings[seat]
        x: cython.int = self.xs[seat]
        y: cython.int = self.ys[seat]
        i: cython.int
        for i in range(len(trail) - 1, -1, -1):
            x -= dx(heading)
            y -= dy(heading)
            bands[x * height + y] = 0
            self.claim(seat, x * height + y)
            self.band_low, self.band_high = min(self.band_low, x), max(self.band_high, x)
            heading = path[i]
        return 0

    @cython.cfunc
    def fill(self, seat: cython.int, marks: bytearray, thorough: cython.bint) -> cython.void:
        """Take the enclosed parts beside the band, or wherever they are."""
        height: cython.int = self.height
        base: cython.int = 0
        x: cython.int
        y: cython.int
        i: cython.int
        if thorough:
            for x in range(self.boxes[seat * 4], self.boxes[seat * 4 + 1] + 1):
                for y in range(self.boxes[seat * 4 + 2], self.boxes[seat * 4 + 3] + 1):
                    base = self.flood(seat, x * height + y, base, marks)
            return
        trail: bytearray = self.trails[seat]
        path: cython.p_uchar = trail
        heading: cython.int = self.headings[seat]
        x = self.xs[seat]
        y = self.ys[seat]
        for i in range(len(trail) - 1, -1, -1):
            x -= dx(heading)
            y -= dy(heading)
            heading = path[i]
            if x > 0:
                base = self.flood(seat, (x - 1) * height + y, base, marks)
            if x < self.width - 1:
                base = self.flood(seat, (x + 1) * height + y, base, marks)
            if y > 0:
                base = self.flood(seat, x * height + y - 1, base, marks)
            if y < height - 1:
                base = self.flood(seat, x * height + y + 1, base, marks)

    @cython.cfunc
    def flood(
        self, seat: cython.int, seed: cython.int, base: cython.int, marks: bytearray
    ) -> cython.int:
        """Take the part of the field around a cell if it is enclosed; returns the next base.

        The part ends at the seat's land. It is open as soon as it touches the box of everything
        the seat ever visited, or a cell that an earlier flood found open. Each visited cell
        remembers the direction it was entered by, which leads back without a stack.
        """
        land: cython.p_uchar = self.land
        mark: cython.p_uchar = marks
        height: cython.int = self.height
        own: cython.int = seat + 1
        if land[seed] == own or mark[seed]:
            return base
        low_x: cython.int = self.boxes[seat * 4]
        high_x: cython.int = self.boxes[seat * 4 + 1]
        low_y: cython.int = self.boxes[seat * 4 + 2]
        high_y: cython.int = self.boxes[seat * 4 + 3]
        x: cython.int = seed // height
        y: cython.int = seed - x * height
        left: cython.int = x
        right: cython.int = x
        top: cython.int = y
        bottom: cython.int = y
        way: cython.int = 0
        enclosed: cython.bint = True
        mark[seed] = base + MARKS
        while True:
            if x <= low_x or x >= high_x or y <= low_y or y >= high_y:
                enclosed = False
                break
            near: cython.int = 0
            seen: cython.int = 0
            while way < 4:
                near = (x + dx(way)) * height + y + dy(way)
                if land[near] != own:
                    seen = mark[near]
                    if seen == 0:
                        break
                    if seen <= base or seen > base + MARKS:
                        enclosed = False
                        break
                way += 1
            if not enclosed:
                break
            if way < 4:
                mark[near] = base + 1 + way
                x += dx(way)
                y += dy(way)
                left, right = min(left, x), max(right, x)
                top, bottom = min(top, y), max(bottom, y)
                way = 0
            else:
                way = mark[x * height + y] - base - 1
                if way == 4:
                    break
                x -= dx(way)
                y -= dy(way)
                way += 1
        if enclosed:
            for x in range(left, right + 1):
                for y in range(top, bottom + 1):
                    seen = mark[x * height + y]
                    if base < seen <= base + MARKS:
                        self.claim(seat, x * height + y)
        if base < LAST_BASE:
            return base + MARKS
        for x in range(len(marks)):
            if mark[x]:
                mark[x] = OPEN
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def claim(self, seat: cython.int, cell: cython.int) -> cython.void:
        """A cell becomes a seat's land."""
        owner: cython.int = self.land[cell]
        if owner == seat + 1:
            return
        if owner:
            self.counts[owner - 1] -= 1
        self.counts[seat] += 1
        self.land[cell] = seat + 1
        x: cython.int = cell // self.height
        self.land_low, self.land_high = min(self.land_low, x), max(self.land_high, x)

    @cython.cfunc
    @cython.exceptval(check=False)
    def finish(self, end: cython.int, winner: cython.int) -> cython.void:
        self.end, self.winner = end, winner

    @cython.cfunc
    @cython.exceptval(check=False)
    def decide(self, end: cython.int) -> cython.void:
        """The larger area wins; ``winner`` -1 means a draw."""
        first: cython.int = self.counts[0]
        second: cython.int = self.counts[1]
        self.finish(end, -1 if first == second else 0 if first > second else 1)
