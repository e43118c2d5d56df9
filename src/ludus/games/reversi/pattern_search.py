"""Alpha-beta with a pattern network for Reversi of 8 by 8, compiled.

The numbers of all patterns (``patterns.py``) are carried from position to position: a move adds
what its own disc and the turned ones change, twelve words each. A position has its numbers as both
sides see them, so that nothing is to be computed anew when the turn changes.

Most positions are cut off before they are searched in full: where a shallow search says that one
is far better or far worse than what matters, a deep one would very likely say so, too. Near the
end the search goes on to the last cell, and ``endgame.py`` plays out what is left.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING

import cython

if not cython.compiled:
    from ludus.games.bits import count_bits, lowest_bit
    from ludus.games.reversi.bitboard import legal_cells, turned_cells

from ludus.games.reversi import patterns
from ludus.games.reversi.bitboard import read_position
from ludus.games.reversi.endgame import EndgameSolver as Solver

if TYPE_CHECKING:
    from ludus.games.reversi.rules import ReversiPosition

CELLS = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
CORNERS = cython.declare(cython.ulonglong, 0x8100000000000081)
HASH_OWN = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
HASH_RIVAL = cython.declare(cython.ulonglong, 0xC2B2AE3D27D4EB4F)
WORDS = cython.declare(cython.int, 12)
VIEWS = cython.declare(cython.int, 24)
"""Words of a position: what the mover sees, then what the rival sees."""
UNIT = cython.declare(cython.int, 128)
PHASE_DISCS = cython.declare(cython.int, 4)
INFINITY = cython.declare(cython.int, 30000)
EXACT = cython.declare(cython.int, 100)
"""The depth of a search to the end without cuts."""
TABLE_BITS = cython.declare(cython.int, 18)
ENTRY = cython.declare(cython.int, 3)
"""Words of an entry of the table: own discs, the rival's, and what is known."""
LOOK_EVERY = cython.declare(cython.int, 1024)
"""Positions between two looks at the clock."""
HANDOVER = cython.declare(cython.int, 10)
"""With so many empty cells the solver is faster than a search that is guided by patterns."""
FIRST_CUT = cython.declare(cython.int, 2)
LAST_CUT = cython.declare(cython.int, 24)
"""Depths at which shallow searches may cut."""
JUMP = cython.declare(cython.int, 10)
"""With fewer cells left below the horizon the next search goes to the end."""
MAX_EXACT = cython.declare(cython.int, 24)
"""With more empty cells no search without cuts is tried."""
FRAME = cython.declare(cython.int, 14)
"""Cells of a row of the frame in rules.py."""
CUT_WIDTH = 1.4
ZERO = cython.declare(cython.int, 32768)
"""What values in the table are counted from."""
NONE = cython.declare(cython.int, 0xFF)
"""In place of the number of a cell."""
MAX_PLIES = cython.declare(cython.int, 130)
MAX_MOVES = cython.declare(cython.int, 34)


@cython.final
@cython.cclass
class PatternSearch:
    """Searches with the weights of one network; remembers what it has found."""

    def __init__(self, weights: array[int]) -> None:
        self.weights_held = weights
        self.places_held = patterns.cell_words()
        self.offsets_held = array("i", patterns.slot_offsets())
        self.stack_held = array("Q", bytes(8 * VIEWS * MAX_PLIES))
        self.table_held = array("Q", bytes(8 * ENTRY << TABLE_BITS))
        self.phase_size, self.discs_offset = patterns.table_size(), patterns.discs_offset()
        if cython.compiled:
            self.weights = cython.address(self.weights_held[0])
            self.places = cython.address(self.places_held[0])
            self.offsets = cython.address(self.offsets_held[0])
            self.stack = cython.address(self.stack_held[0])
            self.table = cython.address(self.table_held[0])
        else:
            self.weights, self.places, self.offsets = weights, self.places_held, self.offsets_held
            self.stack, self.table = self.stack_held, self.table_held
        self.solver = Solver(patterns.SIZE)
        self.nodes = 0
        self.depth = self.score = 0
        self.cut_width = CUT_WIDTH
        """How sure cuts must be, in standard deviations; 0 is without cuts."""
        self.enough: Callable[[], bool] | None = None
        self.failure: BaseException | None = None
        self.stopped = False
        self.last_node = 1 << 62
        self.next_look = 0
        """The number of positions at which to look at the clock: leaves and solved positions come
        many at a time."""

    # What the patterns say.

    @cython.cfunc
    @cython.exceptval(check=False)
    def set_root(self, own: cython.ulonglong, rival: cython.ulonglong) -> cython.void:
        """Write the words of a position at ply 0."""
        i: cython.int
        at: cython.int
        for i in range(VIEWS):
            self.stack[i] = 0
        while own:
            at = lowest_bit(own) * WORDS
            own &= own - 1
            for i in range(WORDS):
                self.stack[i] += self.places[at + i]
                self.stack[WORDS + i] += 2 * self.places[at + i]
        while rival:
            at = lowest_bit(rival) * WORDS
            rival &= rival - 1
            for i in range(WORDS):
                self.stack[i] += 2 * self.places[at + i]
                self.stack[WORDS + i] += self.places[at + i]

    @cython.cfunc
    @cython.exceptval(check=False)
    def estimate(self, words: cython.p_ulonglong, discs: cython.int) -> cython.int:
        """What the patterns of packed numbers are worth to the side that sees them."""
        base: cython.int = (discs - 5) // PHASE_DISCS * self.phase_size if discs > 4 else 0
        weights: cython.p_short = self.weights
        offsets: cython.p_int = self.offsets
        total: cython.int = weights[base + self.discs_offset + discs]
        word: cython.ulonglong
        i: cython.int
        for i in range(WORDS):
            word = words[i]
            total += (
                weights[base + offsets[4 * i] + cython.cast(cython.int, word & 0xFFFF)]
                + weights[base + offsets[4 * i + 1] + cython.cast(cython.int, word >> 16 & 0xFFFF)]
                + weights[base + offsets[4 * i + 2] + cython.cast(cython.int, word >> 32 & 0xFFFF)]
                + weights[base + offsets[4 * i + 3] + cython.cast(cython.int, word >> 48)]
            )
        if total > 64 * UNIT:
            return 64 * UNIT
        return total if total > -64 * UNIT else -64 * UNIT

    @cython.cfunc
    @cython.exceptval(check=False)
    def estimate_at(self, ply: cython.int, discs: cython.int) -> cython.int:
        """What the position at a ply is worth to its mover."""
        words: cython.p_ulonglong
        if cython.compiled:
            words = self.stack + ply * VIEWS
        else:
            words = self.stack[ply * VIEWS : ply * VIEWS + WORDS]
        return self.estimate(words, discs)

    @cython.cfunc
    @cython.exceptval(check=False)
    def estimate_after(
        self, ply: cython.int, turned: cython.ulonglong, cell: cython.int, discs: cython.int
    ) -> cython.int:
        """What the position after a move is worth to the next mover."""
        if cython.compiled:
            words = cython.declare(cython.ulonglong[12])  # type: ignore[misc, valid-type]
        else:
            words = [0] * WORDS
        places: cython.p_ulonglong = self.places
        seen: cython.int = ply * VIEWS + WORDS
        at: cython.int = cell * WORDS
        i: cython.int
        for i in range(WORDS):
            words[i] = self.stack[seen + i] + 2 * places[at + i]
        while turned:
            at = lowest_bit(turned) * WORDS
            turned &= turned - 1
            for i in range(WORDS):
                words[i] += places[at + i]
        return self.estimate(words, discs)

    @cython.cfunc
    @cython.exceptval(check=False)
    def turn_words(
        self, ply: cython.int, turned: cython.ulonglong, cell: cython.int
    ) -> cython.void:
        """Write the words of the next ply after a move."""
        if cython.compiled:
            words = cython.declare(cython.ulonglong[12])  # type: ignore[misc, valid-type]
        else:
            words = [0] * WORDS
        places: cython.p_ulonglong = self.places
        stack: cython.p_ulonglong = self.stack
        seen: cython.int = ply * VIEWS
        at: cython.int
        i: cython.int
        for i in range(WORDS):
            words[i] = 0
        while turned:
            at = lowest_bit(turned) * WORDS
            turned &= turned - 1
            for i in range(WORDS):
                words[i] += places[at + i]
        at = cell * WORDS
        for i in range(WORDS):
            stack[seen + VIEWS + i] = stack[seen + WORDS + i] + words[i] + 2 * places[at + i]
            stack[seen + VIEWS + WORDS + i] = stack[seen + i] - words[i] + places[at + i]

    @cython.cfunc
    @cython.exceptval(check=False)
    def swap_words(self, ply: cython.int) -> cython.void:
        """Write the words of the next ply after the mover was skipped."""
        seen: cython.int = ply * VIEWS
        i: cython.int
        for i in range(WORDS):
            self.stack[seen + VIEWS + i] = self.stack[seen + WORDS + i]
            self.stack[seen + VIEWS + WORDS + i] = self.stack[seen + i]

    # The search.

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_over(self) -> cython.bint:
        """Count a position, and look at the clock now and then. An exception waits for the end."""
        self.nodes += 1
        if self.stopped:
            return True
        if self.nodes >= self.last_node:
            self.stopped = True
        elif self.nodes >= self.next_look and self.enough is not None:
            self.next_look = self.nodes + LOOK_EVERY
            try:
                self.stopped = bool(self.enough())
            except BaseException as error:
                self.failure, self.stopped = error, True
        return self.stopped

    @cython.cfunc
    @cython.exceptval(check=False)
    def value_after(
        self,
        ply: cython.int,
        own: cython.ulonglong,
        rival: cython.ulonglong,
        cell: cython.int,
        depth: cython.int,
        alpha: cython.int,
        beta: cython.int,
    ) -> cython.int:
        """The value for the mover after it has put a disc on a cell."""
        one: cython.ulonglong = 1
        disc: cython.ulonglong = one << cell
        turned: cython.ulonglong = turned_cells(own, rival, disc)
        self.turn_words(ply, turned, cell)
        if depth < EXACT:
            depth -= 1
        return -self.value(
            ply + 1, rival & ~turned, own | turned | disc, depth, -beta, -alpha, False
        )

    @cython.cfunc
    @cython.exceptval(check=False)
    def value(
        self,
        ply: cython.int,
        own: cython.ulonglong,
        rival: cython.ulonglong,
        depth: cython.int,
        alpha: cython.int,
        beta: cython.int,
        passed: cython.bint,
    ) -> cython.int:
        """The value for the mover if it lies between alpha and beta, else a bound of it."""
        empties: cython.int = count_bits(~(own | rival) & CELLS)
        if depth >= empties and empties <= HANDOVER:
            return self.solved(own, rival, alpha, beta)
        if self.is_over():
            return 0
        if depth <= 0:
            return self.estimate_at(ply, 64 - empties)
        choices: cython.ulonglong = legal_cells(own, rival, CELLS)
        if not choices:
            return self.value_without_moves(ply, own, rival, depth, alpha, beta, passed)
        if depth == 1:
            return self.best_leaf(ply, own, rival, choices, alpha, beta)
        place: cython.longlong = self.find(own, rival)
        known: cython.ulonglong = 0
        low: cython.int
        high: cython.int
        if self.table[place] == own and self.table[place + 1] == rival:
            known = self.table[place + 2]
            if cython.cast(cython.int, known & 0xFF) >= depth:
                low = cython.cast(cython.int, known >> 32 & 0xFFFF) - ZERO
                high = cython.cast(cython.int, known >> 48) - ZERO
                if low >= beta or low == high:
                    return low
                if high <= alpha:
                    return high
        if FIRST_CUT <= depth <= LAST_CUT and beta == alpha + 1 and self.cut_width > 0:
            low = self.cut(ply, own, rival, depth, alpha, beta)
            if low != INFINITY:
                return low
        return self.best_move(ply, own, rival, choices, depth, alpha, beta, known)

    @cython.cfunc
    @cython.exceptval(check=False)
    def best_move(
        self,
        ply: cython.int,
        own: cython.ulonglong,
        rival: cython.ulonglong,
        choices: cython.ulonglong,
        depth: cython.int,
        alpha: cython.int,
        beta: cython.int,
        known: cython.ulonglong,
    ) -> cython.int:
        """``value`` by trying moves, those first that an earlier search has found good."""
        if cython.compiled:
            ordered = cython.declare(cython.int[34])  # type: ignore[misc, valid-type]
        else:
            ordered = [0] * MAX_MOVES
        first: cython.int = cython.cast(cython.int, known >> 8 & 0xFF) if known else NONE
        second: cython.int = cython.cast(cython.int, known >> 16 & 0xFF) if known else NONE
        number: cython.int = self.order(ply, own, rival, choices, depth, first, second, ordered)
        best: cython.int = -INFINITY
        best_cell: cython.int = ordered[0]
        low: cython.int = alpha
        found: cython.int
        i: cython.int
        for i in range(number):
            if i:
                found = self.value_after(ply, own, rival, ordered[i], depth, low, low + 1)
                if low < found < beta:
                    found = self.value_after(ply, own, rival, ordered[i], depth, found, beta)
            else:
                found = self.value_after(ply, own, rival, ordered[i], depth, low, beta)
            if found > best:
                best, best_cell = found, ordered[i]
                low = max(low, best)
                if low >= beta:
                    break
        if not self.stopped:
            low = best if best > alpha else -INFINITY
            found = best if best < beta else INFINITY
            if best_cell == first:
                first = second
            self.remember(own, rival, depth, low, found, best_cell, first)
        return best

    @cython.cfunc
    @cython.exceptval(check=False)
    def remember(
        self,
        own: cython.ulonglong,
        rival: cython.ulonglong,
        depth: cython.int,
        low: cython.int,
        high: cython.int,
        first: cython.int,
        second: cython.int,
    ) -> cython.void:
        """Write into the table the bounds of a position's value, and its two best cells."""
        known: cython.ulonglong = depth | first << 8 | second << 16
        known |= cython.cast(cython.ulonglong, low + ZERO) << 32
        known |= cython.cast(cython.ulonglong, high + ZERO) << 48
        place: cython.longlong = self.find(own, rival)
        self.table[place], self.table[place + 1] = own, rival
        self.table[place + 2] = known

    @cython.cfunc
    @cython.exceptval(check=False)
    def best_leaf(
        self,
        ply: cython.int,
        own: cython.ulonglong,
        rival: cython.ulonglong,
        choices: cython.ulonglong,
        alpha: cython.int,
        beta: cython.int,
    ) -> cython.int:
        """The best of the moves by what patterns say after it."""
        one: cython.ulonglong = 1
        discs: cython.int = count_bits(own | rival) + 1
        best: cython.int = -INFINITY
        found: cython.int
        cell: cython.int
        while choices:
            cell = lowest_bit(choices)
            choices &= choices - 1
            self.nodes += 1
            found = -self.estimate_after(ply, turned_cells(own, rival, one << cell), cell, discs)
            if found > best:
                best = found
                if best >= beta:
                    break
        return best

    @cython.cfunc
    @cython.exceptval(check=False)
    def value_without_moves(
        self,
        ply: cython.int,
        own: cython.ulonglong,
        rival: cython.ulonglong,
        depth: cython.int,
        alpha: cython.int,
        beta: cython.int,
        passed: cython.bint,
    ) -> cython.int:
        """``value`` for a mover that is skipped; after two of them the bout is over."""
        if passed:
            return (count_bits(own) - count_bits(rival)) * UNIT
        self.swap_words(ply)
        return -self.value(ply + 1, rival, own, depth, -beta, -alpha, True)

    @cython.cfunc
    @cython.exceptval(check=False)
    def solved(
        self,
        own: cython.ulonglong,
        rival: cython.ulonglong,
        alpha: cython.int,
        beta: cython.int,
    ) -> cython.int:
        """``value`` of the last cells, in whole discs."""
        low: cython.int = (alpha + 64 * UNIT) // UNIT - 64 if alpha > -64 * UNIT else -64
        high: cython.int = 64 - (64 * UNIT - beta) // UNIT if beta < 64 * UNIT else 64
        before: cython.longlong = self.solver.nodes
        found: cython.int = self.solver.value(own, rival, low, high, False)
        self.nodes += self.solver.nodes - before
        if self.is_over() or self.solver.stopped:
            self.stopped = True
            return 0
        return found * UNIT

    @cython.cfunc
    @cython.exceptval(check=False)
    def cut(
        self,
        ply: cython.int,
        own: cython.ulonglong,
        rival: cython.ulonglong,
        depth: cython.int,
        alpha: cython.int,
        beta: cython.int,
    ) -> cython.int:
        """A bound that a shallow search makes likely; INFINITY if it does not."""
        discs: cython.int = count_bits(own | rival)
        shallow: cython.int = shallow_depth(depth)
        error: cython.double = search_error(depth, shallow, discs) * UNIT
        margin: cython.int = cython.cast(cython.int, self.cut_width * error + 0.5)
        now: cython.int = self.estimate_at(ply, discs)
        limit: cython.int = beta + margin
        if now >= beta - margin // 2 and limit < 64 * UNIT:
            if self.value(ply, own, rival, shallow, limit - 1, limit, False) >= limit:
                return beta
            if self.stopped:
                return 0
        limit = alpha - margin
        if now <= alpha + margin // 2 and limit > -64 * UNIT:
            if self.value(ply, own, rival, shallow, limit, limit + 1, False) <= limit:
                return alpha
            if self.stopped:
                return 0
        return INFINITY

    @cython.cfunc
    @cython.exceptval(check=False)
    def order(
        self,
        ply: cython.int,
        own: cython.ulonglong,
        rival: cython.ulonglong,
        choices: cython.ulonglong,
        depth: cython.int,
        first: cython.int,
        second: cython.int,
        ordered: cython.p_int,
    ) -> cython.int:
        """Write the cells of the choices, the most promising first; returns how many."""
        if cython.compiled:
            ranks = cython.declare(cython.int[34])  # type: ignore[misc, valid-type]
        else:
            ranks = [0] * MAX_MOVES
        one: cython.ulonglong = 1
        discs: cython.int = count_bits(own | rival) + 1
        disc: cython.ulonglong
        turned: cython.ulonglong
        answers: cython.ulonglong
        number: cython.int = 0
        cell: cython.int
        rank: cython.int
        i: cython.int
        while choices:
            cell = lowest_bit(choices)
            disc = one << cell
            choices ^= disc
            if cell == first:
                rank = -INFINITY
            elif cell == second:
                rank = 1 - INFINITY
            else:
                turned = turned_cells(own, rival, disc)
                answers = legal_cells(rival & ~turned, own | turned | disc, CELLS)
                rank = UNIT // 2 * (count_bits(answers) + count_bits(answers & CORNERS))
                if depth > 2:
                    rank += self.estimate_after(ply, turned, cell, discs)
            i = number
            while i > 0 and ranks[i - 1] > rank:
                ranks[i], ordered[i] = ranks[i - 1], ordered[i - 1]
                i -= 1
            ranks[i], ordered[i] = rank, cell
            number += 1
        return number

    @cython.cfunc
    @cython.exceptval(check=False)
    def find(self, own: cython.ulonglong, rival: cython.ulonglong) -> cython.longlong:
        """The place of a position in the table."""
        mix: cython.ulonglong = (own * HASH_OWN & CELLS) ^ (rival * HASH_RIVAL & CELLS)
        mix ^= mix >> 29
        return (((mix * HASH_OWN) & CELLS) >> (64 - TABLE_BITS)) * ENTRY

    # For callers.

    def evaluate(self, own: int, rival: int) -> int:
        """What the patterns of a position are worth to the mover, in discs / ``UNIT``."""
        self.set_root(own, rival)
        return self.estimate_at(0, count_bits(own | rival))

    def search_words(
        self, own: int, rival: int, depth: int, alpha: int = -INFINITY, beta: int = INFINITY
    ) -> int:
        """The value to a depth (``EXACT``: to the end) for discs given as words."""
        self.begin(None)
        self.set_root(own, rival)
        return self.value(0, own, rival, depth, alpha, beta, False)

    def begin(self, enough: Callable[[], bool] | None) -> None:
        self.enough, self.failure, self.stopped = enough, None, False
        self.next_look = self.nodes + LOOK_EVERY
        self.solver._begin(enough)

    def best(self, position: ReversiPosition, enough: Callable[[], bool]) -> str:
        """A best move, as far as could be seen before ``enough()`` said to stop."""
        own, rival = read_position(position)
        moves = [(number_of(cell), cell) for cell in position.choices]
        names = dict(zip(position.choices, position.legal(position.seat), strict=True))
        if len(moves) > 1:
            self.begin(enough)
            self.set_root(own, rival)
            self.deepen(own, rival, moves)
            if self.failure is not None:
                failure, self.failure = self.failure, None
                raise failure
        return names[moves[0][1]]

    def deepen(self, own: int, rival: int, moves: list[tuple[int, int]]) -> None:
        """Look further each time and bring the best of the moves to the front.

        Searches to the end only ask who wins, the first of them with cuts.
        """
        empties = 64 - count_bits(own | rival)
        self.depth = depth = 0
        while depth < empties:
            depth += 1
            low, high = -INFINITY, INFINITY
            if empties - depth < JUMP:
                depth, low, high = empties, -UNIT, UNIT
            if not self.improve(own, rival, moves, depth, low, high):
                return
            self.depth = depth
        if empties <= MAX_EXACT:
            self.improve(own, rival, moves, EXACT, -UNIT, UNIT)

    def improve(
        self,
        own: int,
        rival: int,
        moves: list[tuple[int, int]],
        depth: int,
        alpha: int,
        beta: int,
    ) -> bool:
        """Bring the best move at that depth to the front; whether there was time for all."""
        best = -INFINITY - 1
        for number, (cell, _) in enumerate(list(moves)):
            low = max(alpha, best)
            if number:
                found = self.value_after(0, own, rival, cell, depth, low, low + 1)
                if low < found < beta and not self.stopped:
                    found = self.value_after(0, own, rival, cell, depth, found, beta)
            else:
                found = self.value_after(0, own, rival, cell, depth, low, beta)
            if self.stopped:
                return False
            if found > best:
                best = found
                if found > alpha:
                    moves.insert(0, moves.pop(number))
                if found >= beta:
                    break
        self.score = best
        return True


def number_of(cell: int) -> int:
    """The bit of a cell of the frame in ``rules.py``."""
    return (cell // FRAME - 1) * patterns.SIZE + cell % FRAME - 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def shallow_depth(depth: cython.int) -> cython.int:
    """How deep to look to foresee what a search to a depth will say: of the same parity."""
    shallow: cython.int = depth // 2
    if (shallow ^ depth) & 1:
        shallow -= 1
    return shallow


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def search_error(depth: cython.int, shallow: cython.int, discs: cython.int) -> cython.double:
    """By how many discs searches to the two depths differ, as a standard deviation."""
    growing: cython.double = 0.075 * (discs - 6) if discs > 14 else 0.6
    return growing * (0.75 + 0.125 * (depth - shallow))
