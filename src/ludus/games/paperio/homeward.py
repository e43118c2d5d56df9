"""What the players of Paper.io have once both have gone home: for judges of unfinished bouts."""

from __future__ import annotations

from array import array

import cython

if not cython.compiled:
    from ludus.games.paperio.field import Field
else:
    from cython.cimports.ludus.games.paperio.field import Field  # type: ignore[no-redef]

NEVER = 1 << 20
"""The steps to what cannot be reached."""


@cython.cclass
class ShortestWalk:
    """The shortest walks of one seat, never over its own band; used for one field only."""

    field: Field
    seat: cython.int
    origins: bytearray
    goal: cython.int
    steps: cython.int

    def __init__(self, field: Field, seat: cython.int) -> None:
        self.field, self.seat = field, seat
        self.goal, self.steps = -1, NEVER

    @cython.locals(queue="int[::1]")
    def find(self, layer: bytearray, owner: cython.int, most: cython.int) -> int:
        """The steps to the nearest cell of ``layer`` (land or bands) that holds ``owner``, if it
        takes no more than ``most``, else ``NEVER``."""
        field: Field = self.field
        width: cython.int = field.width
        height: cython.int = field.height
        self.origins = bytearray(width * height)
        origins: cython.p_uchar = self.origins
        bands: cython.p_uchar = field.bands
        cells: cython.p_uchar = layer
        own: cython.int = self.seat + 1
        queue = array("i", bytes(4 * (width * height + 1)))
        x: cython.int = field.xs[self.seat]
        y: cython.int = field.ys[self.seat]
        behind: cython.int = (field.headings[self.seat] + 2) & 3
        head: cython.int = -1
        tail: cython.int = 0
        level_end: cython.int = 0
        done: cython.int = 1
        way: cython.int
        to_x: cython.int
        to_y: cython.int
        near: cython.int
        self.goal, self.steps = -1, NEVER
        while done <= most:
            for way in range(4):
                to_x = x + (1 if way == 0 else -1 if way == 2 else 0)
                to_y = y + (1 if way == 1 else -1 if way == 3 else 0)
                if to_x < 0 or to_y < 0 or to_x >= width or to_y >= height:
                    continue
                near = to_x * height + to_y
                if origins[near] or bands[near] == own or (head < 0 and way == behind):
                    continue
                origins[near] = way + 1
                if cells[near] == owner:
                    self.goal, self.steps = near, done
                    return done
                queue[tail] = near
                tail += 1
            head += 1
            if head >= tail:
                break
            if head >= level_end:
                level_end = tail
                done += 1
            x = queue[head] // height
            y = queue[head] - x * height
        return NEVER

    def walk(self) -> list[int]:
        """The headings of the walk that was found."""
        height: cython.int = self.field.height
        cell: cython.int = self.goal
        headings: list[int] = []
        way: cython.int
        for _ in range(self.steps):
            way = self.origins[cell] - 1
            headings.append(way)
            cell -= height if way == 0 else -height if way == 2 else 1 if way == 1 else -1
        headings.reverse()
        return headings


@cython.ccall
def follow_walk(field: Field, seat: cython.int, headings: list[int]) -> cython.int:
    """Lead a seat along a walk while the other one stands still; the band closes at home."""
    for heading in headings:
        field.headings[seat] = heading
        field.xs[seat] += 1 if heading == 0 else -1 if heading == 2 else 0
        field.ys[seat] += 1 if heading == 1 else -1 if heading == 3 else 0
        x: cython.int = field.xs[seat]
        y: cython.int = field.ys[seat]
        field.boxes[seat * 4] = min(field.boxes[seat * 4], x)
        field.boxes[seat * 4 + 1] = max(field.boxes[seat * 4 + 1], x)
        field.boxes[seat * 4 + 2] = min(field.boxes[seat * 4 + 2], y)
        field.boxes[seat * 4 + 3] = max(field.boxes[seat * 4 + 3], y)
        field.settle(seat, x * field.height + y)
    return 0


def find_way_home(field: Field, seat: cython.int, most: cython.int) -> ShortestWalk | None:
    """The shortest walk of a seat to its land; None for one that is at home or cannot get there
    in so many steps."""
    if not field.trails[seat]:
        return None
    walk = ShortestWalk(field, seat)
    return walk if walk.find(field.land, seat + 1, most) < NEVER else None


def is_cut(field: Field, seat: cython.int, home: cython.int) -> bool:
    """Whether the other seat reaches a seat's band before that is home, in ``home`` steps."""
    rival: cython.int = 1 - seat
    first: cython.bint = (field.steps & 1) == rival
    walk = ShortestWalk(field, rival)
    return walk.find(field.bands, seat + 1, home if first else home - 1) < NEVER


def settle_areas(field: Field) -> tuple[int, int, int]:
    """The land of each seat once both have gone home the shortest way, and the seat that is cut
    off before, or -1. What cannot be closed before the turns are over does not count."""
    left: cython.int = 2 * field.turns - field.steps
    homes: list[int] = [0, 0]
    walks: list[ShortestWalk | None] = [None, None]
    seat: cython.int
    cut: cython.int = -1
    for seat in range(2):
        own: cython.int = (left + (1 if (field.steps & 1) == seat else 0)) // 2
        walk: ShortestWalk | None = find_way_home(field, seat, own)
        if walk is not None:
            homes[seat], walks[seat] = walk.steps, walk
        elif field.trails[seat]:
            homes[seat] = own
    after: Field = field.copy()
    for seat in (0, 1) if homes[0] <= homes[1] else (1, 0):
        if cut < 0 and field.trails[seat] and is_cut(field, seat, homes[seat]):
            cut = seat
        found: ShortestWalk | None = walks[seat]
        if found is not None and after.trails[seat]:
            follow_walk(after, seat, found.walk())
    return after.counts[0], after.counts[1], cut
