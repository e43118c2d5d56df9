"""The end of a bout of Reversi played out exactly, compiled.

Alpha-beta on the words of ``bitboard.py``. Three things keep the tree small: moves that leave the
rival few answers are tried first, positions that were reached by another order of moves are
remembered, and after the first move of a position the others are only asked whether they are
better. The value is the lead of the seat to move in discs.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable

import cython

if not cython.compiled:
    from ludus.games.bits import count_bits, lowest_bit
    from ludus.games.reversi.bitboard import legal_cells, turned_cells
    from ludus.games.reversi.search_position import ReversiSearchPosition
else:
    from cython.cimports.ludus.games.reversi.search_position import (  # type: ignore[no-redef]
        ReversiSearchPosition,
    )

from ludus.games.base import SolvedMove
from ludus.games.reversi.bitboard import ROWS, cells_of, read_position
from ludus.games.reversi.rules import ReversiPosition

WIDTH = 14  # of the frame in rules.py

TABLE_BITS = cython.declare(cython.int, 17)
"""The table of known positions has two to this power places; each takes 19 bytes."""
FEW = 5
"""With so many empty cells the table and the order of moves cost more than they save."""
LOOK_EVERY = 4096
"""Positions between two looks at the clock."""
MAX_SOLVED_EMPTIES = 20
"""With more empty cells ``solve`` does not even try."""
MAX_PROVEN_EMPTIES = cython.declare(cython.int, 16)
"""With more ``prove`` does not: it would take longer than a network."""
MAX_LEAD = ROWS * ROWS
NO_LIMIT = cython.declare(cython.longlong, 1 << 62)
NO_BOUND = cython.declare(cython.int, 100)
"""More than any lead: nothing is known on this side."""
CORNERS = cython.declare(cython.ulonglong, 0x8100000000000081)
HASH_OWN = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
HASH_RIVAL = cython.declare(cython.ulonglong, 0xC2B2AE3D27D4EB4F)
WORD = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


class TimeIsUp(Exception):
    """The caller wants no more time to be spent on a position."""


@cython.final
@cython.cclass
class EndgameSolver:
    """Solves positions of one size of board, at most eight rows; remembers what it has found."""

    def __init__(self, size: int) -> None:
        self.cells = cells_of(size)
        places = 1 << TABLE_BITS
        self.keys_own, self.keys_rival = (
            array("Q", bytes(8 * places)),
            array("Q", bytes(8 * places)),
        )
        self.lows, self.highs = array("b", bytes(places)), array("b", bytes(places))
        self.bests = array("b", bytes(places))
        self.nodes = 0
        self.last_node = NO_LIMIT
        """The number of positions after which it gives up."""
        self.next_look = 0
        """The number of positions at which to look at the clock: the last cells are counted many at
        a time."""
        self.enough: Callable[[], bool] | None = None
        self.failure: BaseException | None = None
        """What ``enough`` raised, such as KeyboardInterrupt."""
        self.stopped = False

    def solve(
        self, position: ReversiPosition, max_nodes: int, enough: Callable[[], bool] | None = None
    ) -> SolvedMove | None:
        """A move that wins if one does, else one that draws, else one that loses by the fewest
        discs; None with more than ``MAX_SOLVED_EMPTIES`` empty cells or if it had to give up.

        Whether a move wins is a much smaller question than by how much: on one core a position
        with 18 empty cells takes some 0.1 s.
        """
        own, rival = read_position(position)
        if count_bits(self.cells & ~(own | rival)) > MAX_SOLVED_EMPTIES:
            return None
        self.last_node = self.nodes + max_nodes
        try:
            return self._solve(position, enough)
        except TimeIsUp:
            return None
        finally:
            self.last_node = NO_LIMIT

    def prove(
        self,
        position: ReversiSearchPosition,
        max_nodes: int,
        enough: Callable[[], bool] | None = None,
    ) -> int | None:
        """Who wins from a search position on if both play perfectly, as a score of seat 0; None
        with more than ``MAX_PROVEN_EMPTIES`` empty cells or if it had to give up."""
        if count_bits(self.cells & ~(position.own | position.rival)) > MAX_PROVEN_EMPTIES:
            return None
        self._begin(enough)
        self.last_node = self.nodes + max_nodes
        lead: cython.int = self.value(position.own, position.rival, -1, 1, False)
        self.last_node = NO_LIMIT
        if self.stopped:
            self._raise_failure()
            return None
        score: cython.int = (lead > 0) - (lead < 0)
        return -score if position.seat else score

    def _solve(
        self, position: ReversiPosition, enough: Callable[[], bool] | None
    ) -> SolvedMove | None:
        moves = self._promising_first(position)
        drawn = None
        for cell, move in moves:
            lead = self.lead_after(position, cell, -1, 1, enough)
            if lead > 0:
                return SolvedMove(move, 1.0)
            if lead == 0 and drawn is None:
                drawn = SolvedMove(move, 0.5)
        if drawn is not None:
            return drawn
        best, best_lead = "", -MAX_LEAD - 1
        for cell, move in moves:
            lead = self.lead_after(position, cell, max(best_lead, -MAX_LEAD), 0, enough)
            if lead > best_lead:
                best, best_lead = move, lead
        return SolvedMove(best, 0.0)

    def _promising_first(self, position: ReversiPosition) -> list[tuple[int, str]]:
        """The choices with their names, those that leave the rival few answers first."""
        named = []
        for cell, move in zip(position.choices, position.legal(position.seat), strict=True):
            after = position.copy()
            after.play({position.seat: move})
            answers = -1 if after.seat == position.seat else len(after.choices)
            named.append((answers, cell, move))
        return [(cell, move) for _, cell, move in sorted(named)]

    def lead_after(
        self,
        position: ReversiPosition,
        cell: int,
        alpha: int = -MAX_LEAD,
        beta: int = MAX_LEAD,
        enough: Callable[[], bool] | None = None,
    ) -> int:
        """The lead in discs with which the seat to move ends if it puts a disc on a cell and both
        play perfectly from there; a bound of it outside alpha and beta.

        ``cell`` is one of the position's ``choices``. Raises TimeIsUp once ``enough()`` is true.
        """
        own, rival = read_position(position)
        self._begin(enough)
        lead = self.value_after(
            own, rival, (cell // WIDTH - 1) * ROWS + cell % WIDTH - 1, alpha, beta
        )
        self._raise_if_stopped()
        return lead

    def lead_of_words(self, own: int, rival: int) -> int:
        """As ``lead``, for discs given as words of ``bitboard.py``, the mover's first."""
        self._begin(None)
        return self.value(own, rival, -MAX_LEAD, MAX_LEAD, False)

    def lead(self, position: ReversiPosition, enough: Callable[[], bool] | None = None) -> int:
        """The lead in discs with which the seat to move ends if both play perfectly."""
        own, rival = read_position(position)
        self._begin(enough)
        lead = self.value(own, rival, -MAX_LEAD, MAX_LEAD, False)
        self._raise_if_stopped()
        return lead

    def _begin(self, enough: Callable[[], bool] | None) -> None:
        self.enough, self.failure, self.stopped = enough, None, False
        self.next_look = self.nodes + LOOK_EVERY

    def _raise_if_stopped(self) -> None:
        self._raise_failure()
        if self.stopped:
            raise TimeIsUp

    def _raise_failure(self) -> None:
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_enough(self) -> cython.bint:
        """Ask ``enough``. The search is C that raises nothing: an exception waits for its end."""
        self.next_look = self.nodes + LOOK_EVERY
        if self.enough is None:
            return False
        try:
            return bool(self.enough())
        except BaseException as error:
            self.failure = error
            return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def value_after(
        self,
        own: cython.ulonglong,
        rival: cython.ulonglong,
        cell: cython.int,
        alpha: cython.int,
        beta: cython.int,
    ) -> cython.int:
        """The lead of the mover after it has put a disc on a cell."""
        one: cython.ulonglong = 1
        disc: cython.ulonglong = one << cell
        turned: cython.ulonglong = turned_cells(own, rival, disc)
        return -self.value(rival & ~turned, own | turned | disc, -beta, -alpha, False)

    @cython.cfunc
    @cython.exceptval(check=False)
    def value(
        self,
        own: cython.ulonglong,
        rival: cython.ulonglong,
        alpha: cython.int,
        beta: cython.int,
        passed: cython.bint,
    ) -> cython.int:
        """The lead of the mover if it lies between alpha and beta, else a bound of it."""
        if count_bits(self.cells & ~(own | rival)) <= FEW:
            return self.value_of_few(own, rival, alpha, beta, passed)
        self.nodes += 1
        if (
            self.stopped
            or self.nodes >= self.last_node
            or (self.nodes >= self.next_look and self.is_enough())
        ):
            self.stopped = True
            return 0
        choices: cython.ulonglong = legal_cells(own, rival, self.cells)
        if not choices:
            return self.value_without_moves(own, rival, alpha, beta, passed)
        place: cython.int = self.find(own, rival)
        first: cython.int = -1
        if self.keys_own[place] == own and self.keys_rival[place] == rival:
            if self.lows[place] >= beta or self.lows[place] == self.highs[place]:
                return self.lows[place]
            if self.highs[place] <= alpha:
                return self.highs[place]
            first = self.bests[place]
        if cython.compiled:
            ordered = cython.declare(cython.int[64])  # type: ignore[misc, valid-type]
        else:
            ordered = [0] * (ROWS * ROWS)
        number: cython.int = self.order(own, rival, choices, first, ordered)
        best: cython.int = -NO_BOUND
        best_cell: cython.int = ordered[0]
        low: cython.int = alpha
        found: cython.int
        i: cython.int
        for i in range(number):
            if i:
                found = self.value_after(own, rival, ordered[i], low, low + 1)
                if low < found < beta:
                    found = self.value_after(own, rival, ordered[i], found, beta)
            else:
                found = self.value_after(own, rival, ordered[i], low, beta)
            if found > best:
                best, best_cell = found, ordered[i]
                if best > low:
                    low = best
                if low >= beta:
                    break
        if not self.stopped:
            self.keys_own[place], self.keys_rival[place] = own, rival
            self.lows[place] = best if best > alpha else -NO_BOUND
            self.highs[place] = best if best < beta else NO_BOUND
            self.bests[place] = best_cell
        return best

    @cython.cfunc
    @cython.exceptval(check=False)
    def value_of_few(
        self,
        own: cython.ulonglong,
        rival: cython.ulonglong,
        alpha: cython.int,
        beta: cython.int,
        passed: cython.bint,
    ) -> cython.int:
        """``value`` for the last few empty cells: moves in the order of the board."""
        self.nodes += 1
        choices: cython.ulonglong = self.cells & ~(own | rival)
        one: cython.ulonglong = 1
        disc: cython.ulonglong
        turned: cython.ulonglong
        best: cython.int = -NO_BOUND
        found: cython.int
        while choices:
            disc = one << lowest_bit(choices)
            choices ^= disc
            turned = turned_cells(own, rival, disc)
            if not turned:
                continue
            found = -self.value_of_few(rival & ~turned, own | turned | disc, -beta, -alpha, False)
            if found > best:
                best = found
                if best > alpha:
                    alpha = best
                if alpha >= beta:
                    return best
        if best == -NO_BOUND:
            return self.value_without_moves(own, rival, alpha, beta, passed)
        return best

    @cython.cfunc
    @cython.exceptval(check=False)
    def value_without_moves(
        self,
        own: cython.ulonglong,
        rival: cython.ulonglong,
        alpha: cython.int,
        beta: cython.int,
        passed: cython.bint,
    ) -> cython.int:
        """``value`` for a mover that is skipped; after two of them the bout is over."""
        if passed:
            return count_bits(own) - count_bits(rival)
        return -self.value(rival, own, -beta, -alpha, True)

    @cython.cfunc
    @cython.exceptval(check=False)
    def order(
        self,
        own: cython.ulonglong,
        rival: cython.ulonglong,
        choices: cython.ulonglong,
        first: cython.int,
        ordered: cython.p_int,
    ) -> cython.int:
        """Write the cells of the choices, the most promising first; returns how many."""
        if cython.compiled:
            ranks = cython.declare(cython.int[64])  # type: ignore[misc, valid-type]
        else:
            ranks = [0] * (ROWS * ROWS)
        one: cython.ulonglong = 1
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
            turned = turned_cells(own, rival, disc)
            answers = legal_cells(rival & ~turned, own | turned | disc, self.cells)
            rank = 2 * count_bits(answers) + 2 * count_bits(answers & CORNERS)
            if disc & CORNERS:
                rank -= 5
            if cell == first:
                rank = -NO_BOUND
            i = number
            while i > 0 and ranks[i - 1] > rank:
                ranks[i], ordered[i] = ranks[i - 1], ordered[i - 1]
                i -= 1
            ranks[i], ordered[i] = rank, cell
            number += 1
        return number

    @cython.cfunc
    @cython.exceptval(check=False)
    def find(self, own: cython.ulonglong, rival: cython.ulonglong) -> cython.int:
        """The place of a position in the table."""
        mix: cython.ulonglong = (own * HASH_OWN & WORD) ^ (rival * HASH_RIVAL & WORD)
        mix ^= mix >> 29
        return ((mix * HASH_OWN) & WORD) >> (64 - TABLE_BITS)


def solve_boards(size: int, boards: bytes, seats: bytes) -> bytes:
    """The leads of seat 0 in discs at the end of many bouts if both sides play perfectly.

    ``boards`` holds a byte for each cell, row by row: 0 is empty, 1 and 2 are the discs of seats 0
    and 1; ``seats`` who is to move. The leads are signed bytes.
    """
    solver, cells = EndgameSolver(size), size * size
    words = [1 << (cell // size * ROWS + cell % size) for cell in range(cells)]
    leads = array("b")
    for number, seat in enumerate(seats):
        discs = [0, 0, 0]
        for word, owner in zip(words, boards[number * cells : (number + 1) * cells], strict=True):
            discs[owner] |= word
        lead = solver.lead_of_words(discs[1 + seat], discs[2 - seat])
        leads.append(-lead if seat else lead)
    return leads.tobytes()
