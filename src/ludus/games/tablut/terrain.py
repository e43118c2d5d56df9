"""A variant's settings made ready for the board: edges, closed cells, hostile cells, hash keys."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import cython

from ludus.games.tablut.variants import LAYOUTS, TablutSettings, camp_cells, camp_of

if not cython.compiled:
    from ludus.games.tablut.grid import LINES, MARGIN
else:
    from cython.cimports.ludus.games.tablut.grid import (  # type: ignore[no-redef]
        LINES,
        MARGIN,
    )

WORD = 0xFFFFFFFFFFFFFFFF


def hash_words(seed: int) -> Iterator[int]:
    """An endless, fixed sequence of 64-bit numbers (splitmix64)."""
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & WORD
        word = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
        yield word ^ (word >> 31)


@cython.final
@cython.cclass
class Terrain:
    """Settings made ready for the board. One object serves all boards of the same settings."""

    def __init__(self, settings: TablutSettings) -> None:
        self.settings = settings
        self.identity = repr(dataclasses.astuple(settings))
        self.size = LAYOUTS[settings.variant].size
        self.low, self.high = MARGIN, MARGIN + self.size - 1
        self.throne = MARGIN + self.size // 2
        self.limit = settings.limit
        self.goal_corners = settings.goal == "corners"
        self.skip_pawn = settings.throne_pass == "all" and settings.throne_stop != "all"
        self.skip_king = settings.throne_pass != "nobody" and settings.throne_stop == "nobody"
        self.throne_attackers = settings.throne_hostile in ("attackers", "all")
        self.throne_defenders = settings.throne_hostile in ("defenders", "all")
        self.throne_always = settings.throne_wall == "always"
        self.throne_king = settings.king_against_throne == "yes"
        self.king_capture = ("two", "four", "throne").index(settings.king_capture)
        self.hammer = settings.king_armed in ("both", "hammer")
        self.anvil = settings.king_armed in ("both", "anvil")
        self.between = settings.between == "captured"
        self.last_ply = ("all", "stuck", "nothing").index(settings.last_ply)
        self.limit_winner = ("defenders", "attackers", "draw").index(settings.limit_result)
        self.stuck_draws = ("loses", "defenders", "draws").index(settings.stuck)
        if not cython.compiled:
            self.block, self.hostile, self.keys = [0] * 46, [0] * 46, [0] * 1587
            self.own_camp = [0] * 529
        self._lay_blocks()
        self._lay_hostile_cells()
        self._lay_camps()
        words = hash_words(9)
        for i in range(1587):
            self.keys[i] = next(words)
        self.side_key = next(words)

    def _lay_blocks(self) -> None:
        """What stops a slide besides pieces: the edge, and closed cells, per kind of piece."""
        settings = self.settings
        walls: cython.uint = (1 << (self.low - 1)) | (1 << (self.high + 1))
        corners: cython.uint = (1 << self.low) | (1 << self.high)
        kind: cython.int
        line: cython.int
        for kind in range(2):
            for line in range(LINES):
                self.block[kind * LINES + line] = walls
        if settings.corners_closed == "yes":
            self.block[self.low] |= corners
            self.block[self.high] |= corners
        for kind in range(2):
            may_pass = ("all",) if kind == 0 else ("king", "all")
            if settings.throne_pass not in may_pass:
                self.block[kind * LINES + self.throne] |= 1 << self.throne

    def _lay_hostile_cells(self) -> None:
        """Cells that always help to capture, the same for both sides; the throne is apart."""
        corners: cython.uint = (1 << self.low) | (1 << self.high)
        inside: cython.uint = (1 << (self.high + 1)) - (1 << self.low)
        side: cython.int
        line: cython.int
        for side in range(2):
            for line in range(LINES):
                self.hostile[side * LINES + line] = 0
                if self.settings.border_hostile == "yes":
                    within: cython.bint = self.low <= line <= self.high
                    self.hostile[side * LINES + line] = ((1 << LINES) - 1) ^ (
                        inside if within else 0
                    )
            if self.settings.corners_hostile == "yes":
                self.hostile[side * LINES + self.low] |= corners
                self.hostile[side * LINES + self.high] |= corners

    def _lay_camps(self) -> None:
        """Camps are closed but for pieces inside, and hostile to those who are not.

        Attackers are safe from the middle cell of a border: else those beside it could be captured
        in their own camp. ``own_camp[line * LINES + x]`` are the cells of a line that belong to the
        camp of cell ``x`` of it. Camps lie symmetrically, so rows and columns share it.
        """
        variant, size = self.settings.variant, self.size
        camps = camp_cells(variant)
        x: cython.int
        y: cython.int
        one: cython.uint = 1
        for i in range(529):
            self.own_camp[i] = 0
        self.has_camps = len(camps) > 0
        for cell in camps:
            y, x = cell // size + MARGIN, cell % size + MARGIN
            self.block[y] |= one << x
            self.block[LINES + y] |= one << x
            self.hostile[y] |= one << x
            at_border = x in (self.low, self.high) or y in (self.low, self.high)
            if not (at_border and self.throne in (x, y)):
                self.hostile[LINES + y] |= one << x
            for other in camp_of(variant, cell):
                if other // size == cell // size:
                    self.own_camp[y * LINES + x] |= one << (other % size + MARGIN)

    def __reduce__(self) -> Any:
        return Terrain, (self.settings,)
