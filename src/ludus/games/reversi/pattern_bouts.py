"""Bouts that a pattern network plays against itself, compiled: what it learns from.

A bout begins with random moves, so that the network also sees what good play would avoid, and a
few random ones come later. The other moves are those of a shallow search. The last cells are played
out exactly, and all earlier positions hear of it: each is worth something between what its own
search says and what the next position turned out to be worth (``trust`` is the weight of the
latter). A random move tells nothing about the position before it, so what the search says counts.
"""

from __future__ import annotations

from array import array

import cython

if not cython.compiled:
    from ludus.games.bits import count_bits, lowest_bit
    from ludus.games.reversi.bitboard import legal_cells, turned_cells
    from ludus.games.search_position import below, mixed

from ludus.games.reversi.pattern_search import PatternSearch as Search

CELLS = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
BLACK = cython.declare(cython.ulonglong, 0x0000000810000000)
WHITE = cython.declare(cython.ulonglong, 0x0000001008000000)
UNIT = cython.declare(cython.int, 128)
INFINITY = cython.declare(cython.int, 30000)
MAX_POSITIONS = cython.declare(cython.int, 64)
"""Of a bout."""
LAST_SAMPLE = cython.declare(cython.int, 3)
"""Positions with fewer empty cells are no samples."""


@cython.final
@cython.cclass
class PatternBouts:
    """Plays bouts with the weights of one network."""

    def __init__(
        self,
        weights: array[int],
        depth: int,
        seed: int,
        *,
        opening: int = 20,
        wrong: float = 0.04,
        solved: int = 12,
        trust: float = 0.9,
    ) -> None:
        self.search = Search(weights)
        self.depth = depth
        self.opening, self.wrong, self.solved, self.trust = opening, wrong, solved, trust
        self.state = (seed * 0x9E3779B97F4A7C15 + 1) & 0xFFFFFFFFFFFFFFFF or 1

    def collect(self, count: int) -> tuple[bytes, bytes, bytes]:
        """At least so many positions: the movers' discs and the rivals' as words, and the lead in
        discs (float32) that the mover should expect."""
        space: cython.longlong = count + MAX_POSITIONS
        self.own, self.rival = array("Q", bytes(8 * space)), array("Q", bytes(8 * space))
        self.value = array("f", bytes(4 * space))
        self.same, self.left = bytearray(space), bytearray(space)
        filled: cython.longlong = 0
        self.search.begin(None)
        while filled < count:
            filled += self.play(filled)
        return (
            bytes(self.own[:filled]),
            bytes(self.rival[:filled]),
            bytes(self.value[:filled]),
        )

    @cython.cfunc
    @cython.exceptval(check=False)
    def play(self, at: cython.longlong) -> cython.int:
        """Play a bout and write its positions; returns how many."""
        own: cython.ulonglong = BLACK
        rival: cython.ulonglong = WHITE
        choices: cython.ulonglong
        turned: cython.ulonglong
        one: cython.ulonglong = 1
        count: cython.int = 0
        cell: cython.int
        empties: cython.int = 60
        random_moves: cython.int = below(self.next_word(), self.opening + 1)
        skipped: cython.bint = False
        sampled: cython.bint
        left: cython.bint
        place: cython.longlong
        while True:
            choices = legal_cells(own, rival, CELLS)
            if not choices:
                own, rival = rival, own
                choices = legal_cells(own, rival, CELLS)
                if not choices:
                    break
                skipped = not skipped
            sampled = random_moves <= 0 and empties >= LAST_SAMPLE
            left = False
            if random_moves > 0:
                random_moves -= 1
                cell = self.random_choice(choices)
            else:
                cell = self.choose(own, rival, choices)
                left = self.chance() < self.wrong
                if left:
                    cell = self.random_choice(choices)
            if sampled:
                place = at + count
                self.own[place], self.rival[place] = own, rival
                self.value[place] = cython.cast(cython.float, self.search.score) / UNIT
                if empties <= self.solved:
                    self.value[place] = self.search.solver.value(own, rival, -64, 64, False)
                    left = True
                self.left[place] = left
                self.same[place] = skipped
                skipped = False
                count += 1
            turned = turned_cells(own, rival, one << cell)
            own, rival = rival & ~turned, own | turned | one << cell
            empties -= 1
        self.look_back(at, count)
        return count

    @cython.cfunc
    @cython.exceptval(check=False)
    def look_back(self, at: cython.longlong, count: cython.int) -> cython.void:
        """Tell every position what came of it, from the last to the first."""
        place: cython.longlong
        after: cython.float
        i: cython.int
        for i in range(count - 2, -1, -1):
            place = at + i
            if self.left[place]:
                continue
            after = self.value[place + 1]
            if not self.same[place + 1]:
                after = -after
            self.value[place] += self.trust * (after - self.value[place])

    @cython.cfunc
    @cython.exceptval(check=False)
    def choose(
        self, own: cython.ulonglong, rival: cython.ulonglong, choices: cython.ulonglong
    ) -> cython.int:
        """The cell that a shallow search likes best; ``search.score`` says how much."""
        best: cython.int = -INFINITY
        best_cell: cython.int = 0
        cell: cython.int
        found: cython.int
        self.search.set_root(own, rival)
        while choices:
            cell = lowest_bit(choices)
            choices &= choices - 1
            found = self.search.value_after(0, own, rival, cell, self.depth, best, INFINITY)
            if found > best:
                best, best_cell = found, cell
        self.search.score = best
        return best_cell

    @cython.cfunc
    @cython.exceptval(check=False)
    def random_choice(self, choices: cython.ulonglong) -> cython.int:
        skip: cython.int
        for skip in range(below(self.next_word(), count_bits(choices))):  # noqa: B007
            choices &= choices - 1
        return lowest_bit(choices)

    @cython.cfunc
    @cython.exceptval(check=False)
    def chance(self) -> cython.double:
        """A number from 0 to 1."""
        return cython.cast(cython.double, self.next_word() >> 11) / 9007199254740992.0

    @cython.cfunc
    @cython.exceptval(check=False)
    def next_word(self) -> cython.ulonglong:
        self.state = mixed(self.state)
        return self.state
