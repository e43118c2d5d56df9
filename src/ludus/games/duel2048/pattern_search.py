"""Alpha-beta with pattern tables for Duel 2048, compiled.

As the search of ``strong`` (``search.py``), it looks whole rounds ahead, each iteration one more,
and tries only the likeliest cells for a tile. But a board is worth what the tables say
(``patterns.py``); values and good moves are kept in a hash table from decision to decision; and
unlikely cells are first searched a round less deep.
"""

from __future__ import annotations

import random
import time
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

import cython

if not cython.compiled:
    from ludus.games.bits import count_bits, leading_zeros, lowest_bit
else:
    from cython.cimports.libc.string import memcpy

from ludus.games.duel2048 import patterns
from ludus.games.duel2048.rules import CELL_NAMES, DIRECTIONS, RANDOM_RANGE

if TYPE_CHECKING:
    from ludus.games.duel2048.rules import DuelPosition

NO_LIMIT = 1 << 30
NODES_BETWEEN_LOOKS = 256 if cython.compiled else 2
"""The clock is looked at every so many nodes: about every 50 µs compiled."""

DEEPEST = cython.declare(cython.int, 60)
WIDEST = cython.declare(cython.int, 17)
"""One cell of its own territory and 16 of the rival's."""
WIDE = cython.declare(cython.int, 4)
NARROW = cython.declare(cython.int, 2)
"""How many cells are tried in the first plies, and in later ones."""
WIDE_PLIES = cython.declare(cython.int, 3)
SURE = cython.declare(cython.int, 2)
"""Cells that are searched as deep as the others; the next ones must first look good a round less
deep."""
ROUND = cython.declare(cython.int, 4)
OWN_CELL_FIRST = cython.declare(cython.int, 1000)

WIN = cython.declare(cython.int, 1_000_000_000)
INFINITE = cython.declare(cython.int, 2_000_000_000)
TABLE_BITS = cython.declare(cython.int, 17)
EXACT = cython.declare(cython.int, 0)
AT_LEAST = cython.declare(cython.int, 1)
AT_MOST = cython.declare(cython.int, 2)

FIRST_HOME = cython.declare(cython.uint, 0x0F0F0F0F)
SECOND_HOME = cython.declare(cython.uint, 0xF0F0F0F0)
ONE = cython.declare(cython.uint, 1)
WORD = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
MIX = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)

CELLS = cython.declare(cython.int, patterns.CELLS)
LEVELS = cython.declare(cython.int, patterns.LEVELS)
DIGITS = cython.declare(cython.int, patterns.DIGITS)
TOPS_AT = cython.declare(cython.int, patterns.TOPS_AT)
SPACES_AT = cython.declare(cython.int, patterns.SPACES_AT)
LEVELS_AT = cython.declare(cython.int, patterns.LEVELS_AT)
HIGHEST = 20
"""Higher tiles, which play does not reach, are taken for this level."""
COUNTED = cython.declare(cython.int, 13)
"""Tiles above this level do not count in the score."""


def _draw_words() -> array[int]:
    """A random word for each cell and each tile that may lie on it."""
    generator = random.Random(1)
    return array("Q", [generator.getrandbits(64) for _ in range(32 * 64)])


TILE_WORDS = _draw_words()


@cython.final
@cython.cclass
class DuelPatternSearch:
    """Finds moves for one bout; remembers what it has found."""

    def __init__(self, weights: array[int], numbers: Sequence[int]) -> None:
        """``numbers`` is the bout's random sequence, as long as the bout."""
        slots = patterns.list_slots()
        self.weights_held, self.words_held = weights, TILE_WORDS
        self.pairs_held, self.lines_held = slots.pairs, slots.lines
        self.mirrored_held, self.set_size = slots.mirrored, slots.size
        self.pair_size, self.line_size = len(slots.pairs), len(slots.lines)
        self.table_held = array("Q", bytes(16 << TABLE_BITS))
        if cython.compiled:
            self.weights = cython.address(self.weights_held[0])
            self.pairs = cython.address(self.pairs_held[0])
            self.lines = cython.address(self.lines_held[0])
            self.mirrored = cython.address(self.mirrored_held[0])
            self.words = cython.address(self.words_held[0])
            self.table = cython.address(self.table_held[0])
        else:
            self.weights, self.words, self.table = weights, TILE_WORDS, self.table_held
            self.pairs, self.lines, self.mirrored = slots.pairs, slots.lines, slots.mirrored
            self.first, self.second, self.keys, self.killers = ([0] * 64 for _ in range(4))
            self.digits, self.ahead, self.places = [0] * 64, [0] * 36, [0] * 160
            self.levels = [0] * 2048
            self.moves, self.marks = [0] * 1088, [0] * 1088
        self.nodes = self.depth = self.score = 0
        self.begin(numbers)

    @cython.cfunc
    def begin(self, numbers: Sequence[int]) -> cython.void:
        """Start another bout; its board is empty."""
        phase: cython.int
        self.numbers = array("i", [number % RANDOM_RANGE for number in numbers])
        self.end = 4 * len(numbers)
        for phase in range(64):
            self.killers[phase] = -1
        self.clear()

    def look(self, position: DuelPosition) -> None:
        """Take over the board of a position."""
        self.clear()
        for row, tiles in enumerate(position.board.getRaw()):
            for column, (level, mine) in enumerate(tiles):
                if level:
                    self.set_cell(8 * row + column, min(level, HIGHEST), mine)

    def evaluate(self, position: DuelPosition) -> int:
        """What the tables say about a board to the first player."""
        self.look(position)
        return self.estimate(0, position.phase)

    def choose(
        self,
        position: DuelPosition,
        seconds: float,
        nodes: int = NO_LIMIT,
        deepest: int = NO_LIMIT,
    ) -> str:
        """A move for the seat to move, found in so much CPU time, so many nodes or to a depth.

        With no time at all it is the likeliest one, unsearched. ``score`` is then what the last
        whole depth found for the seat to move; where there is no choice, only with ``deepest``.
        """
        start: cython.double = time.thread_time()
        phase: cython.int = position.phase
        depth: cython.int
        self.deadline = start + seconds
        self.most_nodes = nodes
        self.look_at = min(nodes, NODES_BETWEEN_LOOKS)
        self.nodes = self.depth = self.score = 0
        self.stopped = False
        self.look(position)
        count: cython.int = self.list_moves(0, phase, -1)
        last: cython.int = min(DEEPEST, self.end - phase + 1, deepest + 1) - 1
        if (count > 1 or deepest < NO_LIMIT) and seconds > 0:
            for depth in range(1, last + 1):
                if (phase + depth) & 3 and depth < last:
                    continue  # it would look to the end of the same round as a later one
                self.deepen(phase, depth, count)
                if self.stopped or time.thread_time() > start + seconds / 2:
                    break  # the next iteration would hardly get far
                self.depth = depth
        best: cython.int = self.moves[0]
        return DIRECTIONS[best] if phase & 2 else CELL_NAMES[best]

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def best_to(self, phase: cython.int, depth: cython.int) -> cython.int:
        """The best move to a depth, or -1 if there is none."""
        self.look_at = self.most_nodes = NO_LIMIT
        self.nodes = self.score = 0
        self.stopped = False
        count: cython.int = self.list_moves(0, phase, -1)
        if count:
            self.deepen(phase, depth, count)
        return self.moves[0] if count else -1

    @cython.cfunc
    def deepen(self, phase: cython.int, depth: cython.int, count: cython.int) -> cython.void:
        """One iteration over the moves of the root; each better one is moved to the front."""
        alpha: cython.int = -INFINITE
        found: cython.int
        i: cython.int
        for i in range(count):
            self.make(0, phase, self.moves[i])
            found = alpha + 1
            if i > 0:  # is it better at all?
                found = -self.value(1, phase + 1, depth - 1, -alpha - 1, -alpha)
            if found > alpha and not self.stopped:
                found = -self.value(1, phase + 1, depth - 1, -INFINITE, -alpha)
            if self.stopped:
                return
            if found > alpha:
                alpha = found
                self.to_front(0, i)
        self.score = alpha

    @cython.cfunc
    @cython.exceptval(-2, check=True)
    def value(
        self,
        ply: cython.int,
        phase: cython.int,
        depth: cython.int,
        alpha: cython.int,
        beta: cython.int,
    ) -> cython.int:
        """The value of the board of this ply for the seat whose phase it is."""
        found: cython.int
        self.nodes += 1
        if self.nodes >= self.look_at:
            self.look_at_clock()
        if self.stopped:
            return 0
        if phase >= self.end:
            return self.final(ply, (phase & 1) == 0)
        if (depth <= 0 and (phase & 3) == 0) or ply >= DEEPEST:
            found = self.estimate(ply, phase)
            return found if (phase & 1) == 0 else -found
        return self.value_of_moves(ply, phase, depth, alpha, beta)

    @cython.cfunc
    @cython.exceptval(-2, check=True)
    def value_of_moves(
        self,
        ply: cython.int,
        phase: cython.int,
        depth: cython.int,
        alpha: cython.int,
        beta: cython.int,
    ) -> cython.int:
        """The value of the best move, unless the table has it."""
        key: cython.ulonglong = self.keys[ply] ^ (
            (cython.cast(cython.ulonglong, phase + 1) * MIX) & WORD
        )
        at: cython.longlong = 2 * cython.cast(cython.longlong, key >> (64 - TABLE_BITS))
        known: cython.int = -1
        entry: cython.ulonglong
        bound: cython.int
        low: cython.int = alpha
        best: cython.int = -INFINITE
        best_move: cython.int = -1
        found: cython.int
        move: cython.int
        i: cython.int
        if self.table[at] == key:
            entry = self.table[at + 1]
            known = cython.cast(cython.int, entry & 63) - 1
            if cython.cast(cython.int, entry >> 8 & 255) >= depth:
                bound = cython.cast(cython.int, entry >> 6 & 3)
                found = cython.cast(
                    cython.int, cython.cast(cython.longlong, entry >> 32) - INFINITE
                )
                if (
                    bound == EXACT
                    or (bound == AT_LEAST and found >= beta)
                    or (bound == AT_MOST and found <= alpha)
                ):
                    return found
        for i in range(self.list_moves(ply, phase, known)):
            move = self.moves[ply * WIDEST + i]
            if not self.make(ply, phase, move):
                continue
            if best == -INFINITE:
                found = -self.value(ply + 1, phase + 1, depth - 1, -beta, -alpha)
            else:
                found = self.value_after(
                    ply, phase, depth, alpha, beta, ROUND if i >= SURE and not phase & 2 else 0
                )
            if self.stopped:
                return 0
            if found > best:
                best, best_move = found, move
            if found > alpha:
                alpha = found
                self.killers[phase & 63] = move
                if found >= beta:
                    break
        if best == -INFINITE:
            return self.value_of_skip(ply, phase, depth, alpha, beta)
        bound = AT_LEAST if best >= beta else AT_MOST if best <= low else EXACT
        self.remember(key, depth, best, bound, best_move)
        return best

    @cython.cfunc
    @cython.exceptval(-2, check=True)
    def value_after(
        self,
        ply: cython.int,
        phase: cython.int,
        depth: cython.int,
        alpha: cython.int,
        beta: cython.int,
        less: cython.int,
    ) -> cython.int:
        """The value of a later move, which has been made: is it better than the best so far?"""
        found: cython.int = alpha + 1
        if less and depth > ROUND:
            found = -self.value(ply + 1, phase + 1, depth - 1 - less, -alpha - 1, -alpha)
        if found > alpha and not self.stopped:
            found = -self.value(ply + 1, phase + 1, depth - 1, -alpha - 1, -alpha)
        if alpha < found < beta and not self.stopped:
            found = -self.value(ply + 1, phase + 1, depth - 1, -beta, -alpha)
        return found

    @cython.cfunc
    @cython.exceptval(-2, check=True)
    def value_of_skip(
        self,
        ply: cython.int,
        phase: cython.int,
        depth: cython.int,
        alpha: cython.int,
        beta: cython.int,
    ) -> cython.int:
        """The value when the seat can do nothing in this phase."""
        if self.is_dead(ply):
            return self.final(ply, (phase & 1) == 0)
        self.copy_board(ply, ply + 1)
        return -self.value(ply + 1, phase + 1, depth - 1, -beta, -alpha)

    @cython.cfunc
    @cython.exceptval(check=False)
    def remember(
        self,
        key: cython.ulonglong,
        depth: cython.int,
        best: cython.int,
        bound: cython.int,
        move: cython.int,
    ) -> cython.void:
        """Write a value into the table, in place of what is there."""
        at: cython.longlong = 2 * cython.cast(cython.longlong, key >> (64 - TABLE_BITS))
        facts: cython.int = (depth if depth > 0 else 0) << 8 | bound << 6 | (move + 1)
        lifted: cython.ulonglong = cython.cast(cython.longlong, best) + INFINITE
        self.table[at] = key
        self.table[at + 1] = lifted << 32 | facts

    @cython.cfunc
    def look_at_clock(self) -> cython.void:
        self.look_at = min(self.nodes + NODES_BETWEEN_LOOKS, self.most_nodes)
        self.stopped = self.nodes >= self.most_nodes or time.thread_time() > self.deadline

    # The board.

    @cython.cfunc
    @cython.exceptval(check=False)
    def clear(self) -> cython.void:
        """Empty the board of ply 0."""
        cell: cython.int
        for cell in range(CELLS):
            self.levels[cell] = 0
        self.first[0] = self.second[0] = 0
        self.keys[0] = 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def set_cell(self, cell: cython.int, level: cython.int, mine: cython.bint) -> cython.void:
        """Put a tile of either side on an empty cell of the board of ply 0."""
        self.levels[cell] = level
        if mine:
            self.first[0] |= ONE << cell
        else:
            self.second[0] |= ONE << cell
        self.keys[0] ^= self.words[cell * 64 + level + (0 if mine else 32)]

    @cython.cfunc
    @cython.exceptval(check=False)
    def copy_board(self, source: cython.int, target: cython.int) -> cython.void:
        """Give the board of a ply to another ply."""
        old: cython.int = CELLS * source
        new: cython.int = CELLS * target
        self.first[target], self.second[target] = self.first[source], self.second[source]
        self.keys[target] = self.keys[source]
        if cython.compiled:
            memcpy(cython.address(self.levels[new]), cython.address(self.levels[old]), CELLS)
        else:
            self.levels[new : new + CELLS] = self.levels[old : old + CELLS]

    @cython.cfunc
    @cython.exceptval(check=False)
    def make(self, ply: cython.int, phase: cython.int, move: cython.int) -> cython.bint:
        """Play a move on the board of the next ply; False for a merge that changes nothing."""
        self.copy_board(ply, ply + 1)
        if phase & 2:
            return self.merge(ply + 1, (phase & 1) == 0, move)
        self.put(ply + 1, move)
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def put(self, ply: cython.int, cell: cython.int) -> cython.void:
        self.levels[CELLS * ply + cell] = 1
        if (cell & 7) < 4:
            self.first[ply] |= ONE << cell
            self.keys[ply] ^= self.words[cell * 64 + 1]
        else:
            self.second[ply] |= ONE << cell
            self.keys[ply] ^= self.words[cell * 64 + 33]

    @cython.cfunc
    @cython.exceptval(check=False)
    def merge(self, ply: cython.int, first: cython.bint, heading: cython.int) -> cython.bint:
        """As ``TileBoard.merge``, without the order in which tiles were put."""
        at: cython.int = CELLS * ply
        own: cython.uint = self.first[ply] if first else self.second[ply]
        foe: cython.uint = self.second[ply] if first else self.first[ply]
        home: cython.uint = FIRST_HOME if first else SECOND_HOME
        mine: cython.int = 0 if first else 32
        step: cython.int = 1
        edge: cython.uint = 0x80808080
        if heading == 0:
            step, edge = -8, 0x000000FF
        elif heading == 1:
            step, edge = 8, 0xFF000000
        elif heading == 2:
            step, edge = -1, 0x01010101
        waiting: cython.uint = own
        frozen: cython.uint = 0
        bit: cython.uint
        near_bit: cython.uint
        cell: cython.int
        stop: cython.int
        near: cython.int
        level: cython.int
        moved: cython.bint = False
        key: cython.ulonglong = self.keys[ply]
        while waiting:
            cell = 63 - leading_zeros(waiting) if heading & 1 else lowest_bit(waiting)
            bit = ONE << cell
            waiting ^= bit
            stop = cell
            near_bit = 0
            while not (edge >> stop) & 1:
                near_bit = ONE << (stop + step)
                if (own | foe) & near_bit or not home & near_bit:
                    break
                stop += step
                near_bit = 0
            level = self.levels[at + cell]
            near = stop + step
            if near_bit & (own | foe) & ~frozen and self.levels[at + near] == level:
                key ^= self.words[near * 64 + level + (32 - mine if foe & near_bit else mine)]
                key ^= self.words[near * 64 + level + 1 + mine]
                self.levels[at + near] = level + 1
                foe &= ~near_bit
                frozen |= near_bit
                stop = near
            elif stop != cell:
                self.levels[at + stop] = level
                key ^= self.words[stop * 64 + level + mine]
            else:
                continue
            key ^= self.words[cell * 64 + level + mine]
            own = (own & ~bit) | (ONE << stop)
            self.levels[at + cell] = 0
            moved = True
        self.keys[ply] = key
        self.first[ply], self.second[ply] = (own, foe) if first else (foe, own)
        return moved

    @cython.cfunc
    @cython.exceptval(check=False)
    def spot(self, ply: cython.int, first: cython.bint, round: cython.int) -> cython.int:
        """The cell that a seat may fill in its own territory; there must be one."""
        taken: cython.uint = self.first[ply] | self.second[ply]
        empty: cython.uint = (FIRST_HOME if first else SECOND_HOME) & ~taken
        count: cython.int = count_bits(empty)
        nth: cython.int = self.numbers[round] % count
        if not first:
            nth = count - 1 - nth
        while nth:
            empty &= empty - 1
            nth -= 1
        return lowest_bit(empty)

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_dead(self, ply: cython.int) -> cython.bint:
        """Whether the board is full and neither side can merge; the next ply's is overwritten."""
        heading: cython.int
        if (self.first[ply] | self.second[ply]) != 0xFFFFFFFF:
            return False
        self.copy_board(ply, ply + 1)
        for heading in range(4):
            if self.merge(ply + 1, True, heading) or self.merge(ply + 1, False, heading):
                return False
        return True

    # Moves.

    @cython.cfunc
    @cython.exceptval(check=False)
    def list_moves(self, ply: cython.int, phase: cython.int, known: cython.int) -> cython.int:
        """Write the moves to try to the ply's part of ``moves``, likely ones first; how many."""
        count: cython.int
        most: cython.int
        if phase & 2:
            count = self.list_merges(ply, phase)
        else:
            count = self.list_puts(ply, phase)
            most = WIDE if ply < WIDE_PLIES else NARROW
            count = min(count, most) if ply else count
        self.find_front(ply * WIDEST, count, self.killers[phase & 63])
        self.find_front(ply * WIDEST, count, known)
        return count

    @cython.cfunc
    @cython.exceptval(check=False)
    def list_merges(self, ply: cython.int, phase: cython.int) -> cython.int:
        """The headings; only at the root is it asked here whether they change anything."""
        count: cython.int = 0
        heading: cython.int
        for heading in range(4):
            if ply or self.make(0, phase, heading):
                self.moves[ply * WIDEST + count] = heading
                count += 1
        return count

    @cython.cfunc
    @cython.exceptval(check=False)
    def list_puts(self, ply: cython.int, phase: cython.int) -> cython.int:
        """The seat's own cell, then the rival's, those first where a tile is most in the way."""
        first: cython.bint = (phase & 1) == 0
        taken: cython.uint = self.first[ply] | self.second[ply]
        theirs: cython.uint = (SECOND_HOME if first else FIRST_HOME) & ~taken
        start: cython.int = ply * WIDEST
        end: cython.int = start
        cell: cython.int
        mark: cython.int
        k: cython.int
        if (FIRST_HOME if first else SECOND_HOME) & ~taken:
            self.moves[start] = self.spot(ply, first, phase >> 2)
            self.marks[start] = OWN_CELL_FIRST
            end += 1
        while theirs:
            cell = lowest_bit(theirs)
            theirs &= theirs - 1
            mark = self.nuisance(ply, cell)
            k = end
            while k > start and self.marks[k - 1] < mark:
                self.moves[k], self.marks[k] = self.moves[k - 1], self.marks[k - 1]
                k -= 1
            self.moves[k], self.marks[k] = cell, mark
            end += 1
        return end - start

    @cython.cfunc
    @cython.exceptval(check=False)
    def find_front(self, start: cython.int, count: cython.int, move: cython.int) -> cython.void:
        """Move a move to the front if it is there."""
        i: cython.int
        for i in range(start, start + count):
            if self.moves[i] == move:
                self.to_front(start, i)
                return

    @cython.cfunc
    @cython.exceptval(check=False)
    def to_front(self, start: cython.int, index: cython.int) -> cython.void:
        move: cython.int = self.moves[index]
        i: cython.int
        for i in range(index, start, -1):
            self.moves[i] = self.moves[i - 1]
        self.moves[start] = move

    @cython.cfunc
    @cython.exceptval(check=False)
    def nuisance(self, ply: cython.int, cell: cython.int) -> cython.int:
        """How much a tile of level 1 on an empty cell would be in the way around it."""
        at: cython.int = CELLS * ply + cell
        mark: cython.int = 0
        if cell >= 8:
            mark += bother(self.levels[at - 8])
        if cell < 24:
            mark += bother(self.levels[at + 8])
        if cell & 7:
            mark += bother(self.levels[at - 1])
        if (cell & 7) < 7:
            mark += bother(self.levels[at + 1])
        return mark

    # Values.

    @cython.cfunc
    @cython.exceptval(check=False)
    def leader(self, ply: cython.int) -> cython.int:
        """1 if the first player would win with this board, -1 if the second, 0 for a tie."""
        if cython.compiled:
            more = cython.declare(cython.int[32])  # type: ignore[misc, valid-type]
        else:
            more = [0] * 32
        i: cython.int
        for i in range(32):
            more[i] = 0
        for i in range(CELLS):
            more[self.levels[CELLS * ply + i]] += 1 if (self.first[ply] >> i) & 1 else -1
        for i in range(COUNTED, 0, -1):
            if more[i]:
                return 1 if more[i] > 0 else -1
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def final(self, ply: cython.int, first: cython.bint) -> cython.int:
        """The value for a seat of a board that stays as it is."""
        leader: cython.int = self.leader(ply)
        found: cython.int = leader * WIN + self.estimate(ply, self.end) if leader else 0
        return found if first else -found

    @cython.cfunc
    @cython.exceptval(check=False)
    def stage(self, phase: cython.int) -> cython.int:
        """0 at the end of a bout, 7 with more than 200 rounds left."""
        left: cython.int = (self.end - phase + 3) >> 2
        if left <= 12:
            return 0 if left <= 2 else 1 if left <= 6 else 2
        if left <= 50:
            return 3 if left <= 25 else 4
        return 5 if left <= 100 else 6 if left <= 200 else 7

    @cython.cfunc
    @cython.exceptval(check=False)
    def read_board(self, ply: cython.int, phase: cython.int) -> cython.int:
        """Write the digits of a board and who is ahead at each level; returns the board's age."""
        level: cython.int
        highest: cython.int = 0
        total: cython.int = 0
        age: cython.int = 0
        lead: cython.int
        place: cython.int
        i: cython.int
        for i in range(LEVELS + 4):
            self.ahead[i] = 0
        for i in range(CELLS):
            level = self.levels[CELLS * ply + i]
            total += ONE << level if level else 0
            level = min(level, LEVELS)
            highest = max(highest, level)
            if (self.first[ply] >> i) & 1:
                self.digits[i], self.digits[CELLS + i] = level, level + LEVELS
                self.ahead[3 + level] += 1
            elif level:
                self.digits[i], self.digits[CELLS + i] = level + LEVELS, level
                self.ahead[3 + level] -= 1
            else:
                self.digits[i] = self.digits[CELLS + i] = 0
        place = self.stage(phase) * (LEVELS + 1) + highest
        for i in range(4):
            lead = self.ahead[3 + highest - i] if i < highest else 0
            place = place * 5 + max(-2, min(2, lead)) + 2
        self.places[0] = TOPS_AT + place
        while total:
            total >>= 1
            age += 1
        return min(age, 15)

    @cython.cfunc
    @cython.exceptval(check=False)
    def find_places(self, ply: cython.int, phase: cython.int) -> cython.void:
        """List the weights of a board: from ``minus_at`` on they count for the second player.

        Those of levels, from ``level_place`` on, count as often as the first is ahead.
        """
        age: cython.int = self.read_board(ply, phase)
        taken: cython.uint = self.first[ply] | self.second[ply]
        empty: cython.int = count_bits(FIRST_HOME & ~taken) * 17 + count_bits(SECOND_HOME & ~taken)
        base: cython.int = (0 if age <= 8 else 1 if age <= 10 else 2) * self.set_size
        x: cython.p_int = self.digits
        slots: cython.p_int = self.pairs
        count: cython.int = 2
        i: cython.int
        self.places[1] = SPACES_AT + self.stage(phase) * 289 + empty
        for i in range(0, self.pair_size, 3):
            self.places[count] = base + slots[i + 2] + x[slots[i]] * DIGITS + x[slots[i + 1]]
            count += 1
        slots = self.lines
        for i in range(0, self.line_size, 4):
            self.places[count] = (
                base
                + slots[i + 3]
                + (x[slots[i]] * DIGITS + x[slots[i + 1]]) * DIGITS
                + x[slots[i + 2]]
            )
            count += 1
        self.minus_at = count
        slots = self.mirrored
        for i in range(0, self.line_size, 4):
            self.places[count] = (
                base
                + slots[i + 3]
                + (x[slots[i]] * DIGITS + x[slots[i + 1]]) * DIGITS
                + x[slots[i + 2]]
            )
            count += 1
        self.place_count = count
        self.level_place = LEVELS_AT + age * (LEVELS + 1)

    @cython.cfunc
    @cython.exceptval(check=False)
    def estimate(self, ply: cython.int, phase: cython.int) -> cython.int:
        """What the tables say about a board to the first player."""
        weights: cython.p_short = self.weights
        total: cython.int = 0
        i: cython.int
        self.find_places(ply, phase)
        for i in range(self.minus_at):
            total += weights[self.places[i]]
        for i in range(self.minus_at, self.place_count):
            total -= weights[self.places[i]]
        for i in range(1, LEVELS + 1):
            total += self.ahead[3 + i] * weights[self.level_place + i]
        return total


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def bother(level: cython.int) -> cython.int:
    """High tiles mind a neighbour of level 1; one of level 1 welcomes it; an empty cell is 0."""
    return -10 if level == 1 else level
