"""The tiles on the board of Duel 2048 and how they move, compiled.

Cells are numbered 0…31 row by row. ``first`` and ``second`` are bit masks of the cells whose
tiles each side owns; ``level`` holds the tiles' levels. ``born`` orders tiles by when they came
to their cell: the original shows that order in ``getAnime``, and so do we.

Rules and searches call these methods; they check none of their arguments. Bots meet the board as
``board.Chessboard``, which adds the original's names.
"""

from __future__ import annotations

from typing import Any

import cython

FIRST_HOME = 0x0F0F0F0F
SECOND_HOME = 0xF0F0F0F0
"""The cells of each side's territory."""


@cython.no_gc
@cython.freelist(64)
@cython.cclass
class TileBoard:
    """A 4 × 8 board of tiles.

    All fields of ``Chessboard`` are here, also those that only bots ask for: the memory of a board
    that was dropped can then be used for the next copy, which is most of what a copy costs.
    """

    def __init__(self, array: Any) -> None:
        """An empty board; ``array`` is the random sequence, which is kept, not copied."""
        self.array = array
        self.first = self.second = self.age = self.moved = self.merged = 0
        if cython.compiled:
            for cell in range(32):
                self.level[cell] = 0
        else:
            self.level: list[int] = [0] * 32
            self.born: list[int] = [0] * 32
            self.source, self.target = [0] * 32, [0] * 32
        self.platform_facts: tuple[Any, Any, Any, Any] = ((), (), 0, 0)
        self.animation: list[tuple[int, int, int, int]] | None = None
        self.strays: dict[Any, tuple[bool, int]] | None = None

    @cython.cfunc
    def decide(self, first: cython.bint, decision: Any) -> cython.void:
        """Store a side's decision, for the bots."""
        facts = self.platform_facts
        if first:
            self.platform_facts = (decision, facts[1], facts[2], facts[3])
        else:
            self.platform_facts = (facts[0], decision, facts[2], facts[3])

    @cython.cfunc
    @cython.exceptval(check=False)
    def put(self, cell: cython.int, value: cython.int) -> cython.void:
        """Set a cell to a tile of its territory's owner; level 0 empties it."""
        bit: cython.uint = 1 << cell
        self.first &= ~bit
        self.second &= ~bit
        self.level[cell] = value
        if value:
            if (cell & 7) < 4:
                self.first |= bit
            else:
                self.second |= bit
            self.age += 1
            self.born[cell] = self.age

    @cython.cfunc
    @cython.exceptval(check=False)
    def owned_by_first(self, cell: cython.int) -> cython.bint:
        """Whether a cell belongs to the first player: its tile, or its territory if empty."""
        if ((self.first | self.second) >> cell) & 1:
            return ((self.first >> cell) & 1) != 0
        return (cell & 7) < 4

    @cython.cfunc
    @cython.exceptval(check=False)
    def full(self) -> cython.bint:
        """Whether every cell holds a tile."""
        return (self.first | self.second) == 0xFFFFFFFF

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def spot(self, first: cython.bint, number: Any) -> cython.int:
        """The cell that a number of the random sequence names in a side's territory."""
        home: cython.uint = FIRST_HOME if first else SECOND_HOME
        empty: cython.uint = home & ~(self.first | self.second)
        count: cython.int = 0
        cell: cython.int
        for cell in range(32):
            count += (empty >> cell) & 1
        nth: cython.int = number % count
        if not first:
            nth = count - 1 - nth
        for cell in range(32):
            if (empty >> cell) & 1:
                if nth == 0:
                    return cell
                nth -= 1
        return -1

    @cython.cfunc
    @cython.exceptval(check=False)
    def stuck(self, first: cython.bint) -> cython.bint:
        """Whether no direction changes anything for a side."""
        own: cython.uint = self.first if first else self.second
        taken: cython.uint = self.first | self.second
        open_home: cython.uint = (FIRST_HOME if first else SECOND_HOME) & ~taken
        cell: cython.int
        near: cython.int
        heading: cython.int
        if own & (
            (open_home << 8)
            | (open_home >> 8)
            | ((open_home & 0x7F7F7F7F) << 1)
            | ((open_home & 0xFEFEFEFE) >> 1)
        ):
            return False
        for cell in range(32):
            if not (own >> cell) & 1:
                continue
            for heading in range(4):
                near = neighbour(cell, heading)
                if near >= 0 and (taken >> near) & 1 and self.level[near] == self.level[cell]:
                    return False
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def merge(self, first: cython.bint, direction: cython.int) -> cython.bint:
        """Move every tile of a side as far as the rules let it; whether one moved.

        If none did, nothing has changed. Tiles are taken in the order in which they reach the
        edge, so that each finds the cells ahead of it as they will stay; ``waiting`` are those
        still to be taken. A tile slides over empty cells of its own territory only. If the next
        tile, of either side, has the same level, it is merged into the moving one, once per move
        (``frozen``): merging with a tile of the rival is how tiles cross the middle line.
        """
        own: cython.uint = self.first if first else self.second
        foe: cython.uint = self.second if first else self.first
        home: cython.uint = FIRST_HOME if first else SECOND_HOME
        step: cython.int = 1
        edge: cython.uint = 0x80808080
        if direction == 0:
            step, edge = -8, 0x000000FF
        elif direction == 1:
            step, edge = 8, 0xFF000000
        elif direction == 2:
            step, edge = -1, 0x01010101
        waiting: cython.uint = own
        frozen: cython.uint = 0
        bit: cython.uint
        near_bit: cython.uint
        i: cython.int
        k: cython.int
        cell: cython.int
        stop: cython.int
        near: cython.int
        moved: cython.int = 0
        for k in range(32):
            i = 31 - k if direction & 1 else k
            cell = i if direction < 2 else (i & 3) * 8 + (i >> 2)
            bit = 1 << cell
            if not waiting:
                break
            if not waiting & bit:
                continue
            waiting &= ~bit
            stop = cell
            near_bit = 0
            while not (edge >> stop) & 1:
                near_bit = 1 << (stop + step)
                if (own | foe) & near_bit or not home & near_bit:
                    break
                stop += step
                near_bit = 0
            near = stop + step
            if (
                (own | foe) & near_bit
                and not frozen & near_bit
                and self.level[near] == self.level[cell]
            ):
                self.level[near] += 1
                foe &= ~near_bit
                frozen |= near_bit
                stop = near
            elif stop != cell:
                self.level[stop] = self.level[cell]
            else:
                continue
            own = (own & ~bit) | (1 << stop)
            self.level[cell] = 0
            self.source[moved] = cell
            self.target[moved] = stop
            moved += 1
        if not moved:
            return False
        if first:
            self.first, self.second = own, foe
        else:
            self.first, self.second = foe, own
        self.moved = moved
        self.merged = frozen
        self.animation = None
        self._settle(direction)
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def _settle(self, direction: cython.int) -> cython.void:
        """Sort the moved tiles of each rank by age, as the original does; they become the youngest.

        The original moves the tiles of one rank (a row or column across the direction) in the
        order in which they were put, and bots can see that order in ``getAnime``.
        """
        i: cython.int
        k: cython.int
        source: cython.int
        target: cython.int
        for i in range(1, self.moved):
            source, target = self.source[i], self.target[i]
            k = i
            while (
                k > 0
                and rank(self.source[k - 1], direction) == rank(source, direction)
                and self.born[self.source[k - 1]] > self.born[source]
            ):
                self.source[k], self.target[k] = self.source[k - 1], self.target[k - 1]
                k -= 1
            self.source[k], self.target[k] = source, target
        for i in range(self.moved):
            self.age += 1
            self.born[self.target[i]] = self.age


@cython.cfunc
@cython.exceptval(check=False)
def copy_tiles(source: TileBoard, target: TileBoard) -> cython.void:
    """Give one board the tiles of another; decisions, times and the tiles' ages are not copied."""
    target.first, target.second = source.first, source.second
    if cython.compiled:
        i: cython.int
        for i in range(32):
            target.level[i] = source.level[i]
    else:
        target.level = source.level[:]


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def neighbour(cell: cython.int, direction: cython.int) -> cython.int:
    """The next cell in a direction, or -1 past the edge."""
    if direction == 0:
        return cell - 8 if cell >= 8 else -1
    if direction == 1:
        return cell + 8 if cell < 24 else -1
    if direction == 2:
        return cell - 1 if cell & 7 else -1
    return cell + 1 if (cell & 7) < 7 else -1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def rank(cell: cython.int, direction: cython.int) -> cython.int:
    """The line across a direction on which a cell lies."""
    return cell >> 3 if direction < 2 else cell & 7


if not cython.compiled:
    from ludus.games.sealed import seal_class

    globals()["TileBoard"] = seal_class(TileBoard)
