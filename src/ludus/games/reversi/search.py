# The annotations are for people; the C types are in search.pxd.
# cython: annotation_typing=False

"""Looks ahead in Reversi: alpha-beta with a table of known positions, deeper and deeper.

Values are from the point of view of the seat to move. At the end of a bout they are exact (the
difference of discs); before it they estimate: corners, safe edges, and how much each side can do.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from ludus.games.base import SolvedMove
from ludus.games.reversi.bitboard import ROWS
from ludus.games.reversi.endgame import MAX_LEAD, EndgameSolver, TimeIsUp

if TYPE_CHECKING:
    from ludus.games.reversi.rules import ReversiPosition

WIDTH = 14  # of the frame in rules.py
EMPTY = 2
WON = 100_000
"""More than any estimate; a bout won by n discs is worth WON + n."""
INFINITY = 10 * WON
SAFE = 20
"""What a disc is worth that no move can turn any more."""
MOBILITY = 12
"""What one more move to choose from is worth."""
SOLVED, SOLVED_LARGE = 16, 12
"""With so many empty cells the rest of the bout is played out in the search; on boards of more than
eight rows, which ``EndgameSolver`` cannot solve, with fewer."""
MAX_SOLVER_NODES = 4_000_000
"""Positions after which the solver leaves a move to the search: about 0.2 s."""
LOOK_EVERY = 64
"""Positions between two looks at the clock."""
KNOWN_AT_MOST = 100_000
"""Positions that are remembered for a seat before all are forgotten; each takes half a kB."""


class ScoredMove(NamedTuple):
    """The result of a search to a fixed depth."""

    move: str
    score: int
    """The value for the seat to move."""


def search(position: ReversiPosition, depth: int, seed: int = 0) -> ScoredMove:
    """The best move to a depth; the seed chooses between equal moves.

    Where twice the depth reaches the end of the bout, it is played out in the search. Nothing is
    remembered from one call to the next, so that the same call always gives the same result.
    """
    searcher = ReversiSearch(position.size)
    moves = list_choices(position)
    random.Random(seed).shuffle(moves)
    searcher.deepen(position, moves, depth, bool)
    return ScoredMove(moves[0][1], searcher.score)


class ReversiSearch:
    """Searches for one bout on a board of one size."""

    def __init__(self, size: int) -> None:
        self.worth = worths(size)
        far = size * WIDTH
        self.corners = [WIDTH + 1, WIDTH + size, far + 1, far + size]
        self.across = [1, -1, 1, -1]
        self.along = [WIDTH, WIDTH, -WIDTH, -WIDTH]
        self.known: list[dict[bytes, tuple[int, int, int, int]]] = [{}, {}]
        self.nodes = 0
        self.depth = 0
        """How many moves ahead the last search saw everything."""
        self.score = 0
        """The value that the last search found at that depth, for the seat to move."""
        self.enough: Callable[[], bool] = bool
        self.solver = EndgameSolver(size) if size <= ROWS else None

    def best(self, position: ReversiPosition, enough: Callable[[], bool]) -> str:
        """A best move, as far as could be seen before ``enough()`` said to stop."""
        moves = list_choices(position)
        random.shuffle(moves)  # among equal moves, any
        self.depth, self.enough = 0, enough
        empties = position.cells.count(EMPTY)
        if len(moves) > 1 and empties > SOLVED and (solved := self.solve_result(position)):
            self.depth = empties
            return solved.move
        if len(moves) > 1:
            self.deepen(position, moves, len(position.cells), enough)
        return moves[0][1]

    def deepen(
        self,
        position: ReversiPosition,
        moves: list[tuple[int, str]],
        deepest: int,
        enough: Callable[[], bool],
    ) -> None:
        """Look one move further each time and bring the best of the moves to the front."""
        self.enough = enough
        self.depth, self.enough = 0, enough
        empties = position.cells.count(EMPTY)
        try:
            while self.depth < min(deepest, empties):
                solved = SOLVED if self.solver else SOLVED_LARGE
                solve = empties <= solved and self.depth >= empties // 2
                depth = empties if solve else self.depth + 1
                if solve and self.solver:
                    number, self.score = self.solve(position, moves)
                else:
                    number, self.score = self.best_of(position, moves, depth)
                moves.insert(0, moves.pop(number))
                self.depth = depth
        except TimeIsUp:
            pass

    def best_of(
        self, position: ReversiPosition, moves: list[tuple[int, str]], depth: int
    ) -> tuple[int, int]:
        """The number and the value of the best of these moves, at that depth."""
        best, alpha = 0, -INFINITY
        for number, (cell, _) in enumerate(moves):
            value = self.after(position, cell, depth, alpha, INFINITY)
            if value > alpha:
                best, alpha = number, value
        return best, alpha

    def solve(self, position: ReversiPosition, moves: list[tuple[int, str]]) -> tuple[int, int]:
        """``best_of`` to the end of the bout."""
        assert self.solver is not None
        best, lead = 0, -MAX_LEAD - 1
        for number, (cell, _) in enumerate(moves):
            found = self.solver.lead_after(position, cell, max(lead, -MAX_LEAD), enough=self.enough)
            if found > lead:
                best, lead = number, found
        return best, worth_of_lead(lead)

    def solve_result(self, position: ReversiPosition) -> SolvedMove | None:
        """A move with the best result, which is known some plies before the discs it wins by."""
        if self.solver is None:
            return None
        return self.solver.solve(position, MAX_SOLVER_NODES, self.enough)

    def after(self, position: ReversiPosition, cell: int, depth: int, alpha: int, beta: int) -> int:
        """The value of a move for the seat that makes it."""
        child = position.copy()
        child.put(cell)
        if child.seat == position.seat:  # the rival is skipped
            return self.value(child, depth - 1, alpha, beta)
        return -self.value(child, depth - 1, -beta, -alpha)

    def value(self, position: ReversiPosition, depth: int, alpha: int, beta: int) -> int:
        """The value of a position if it lies between alpha and beta, else a bound of it."""
        if not position.choices:
            return final(position)
        self.nodes += 1
        if self.nodes % LOOK_EVERY == 0 and self.enough():
            raise TimeIsUp
        if depth <= 0:
            return self.estimate(position)
        if depth == 1:
            return self.try_moves(position, position.choices, depth, alpha, beta)[0]
        return self.recall(position, depth, alpha, beta)

    def recall(self, position: ReversiPosition, depth: int, alpha: int, beta: int) -> int:
        """``value`` by way of the table: what is known already is not searched again."""
        table, key = self.known[position.seat], bytes(position.cells)
        first = 0
        if (entry := table.get(key)) is not None:
            deep, low, high, first = entry
            if deep >= depth:
                if low >= beta or low == high:
                    return low
                if high <= alpha:
                    return high
        cells = self.promising_first(position, first)
        value, cell = self.try_moves(position, cells, depth, alpha, beta)
        if len(table) >= KNOWN_AT_MOST:
            table.clear()
        low = value if value > alpha else -INFINITY
        high = value if value < beta else INFINITY
        table[key] = (depth, low, high, cell)
        return value

    def try_moves(
        self, position: ReversiPosition, cells: Iterable[int], depth: int, alpha: int, beta: int
    ) -> tuple[int, int]:
        """The best value and its cell; stops at a move that is too good to be allowed."""
        best, best_cell = -INFINITY, 0
        for cell in cells:
            if best > alpha:
                alpha = best
            value = self.after(position, cell, depth, alpha, alpha + 1 if best_cell else beta)
            if best_cell and alpha < value < beta:
                value = self.after(position, cell, depth, value, beta)
            if value > best:
                best, best_cell = value, cell
                if value >= beta:
                    break
        return best, best_cell

    def promising_first(self, position: ReversiPosition, first: int) -> list[int]:
        """The moves in the order to try them: known to be good, then few answers to them."""
        ranked = []
        for cell in position.choices:
            child = position.copy()
            child.put(cell)
            answers = len(child.choices)
            if child.seat == position.seat:
                answers = -answers
            rank = answers * MOBILITY - self.worth[cell] - (INFINITY if cell == first else 0)
            ranked.append((rank, cell))
        ranked.sort()
        return [cell for _, cell in ranked]

    def estimate(self, position: ReversiPosition) -> int:
        seat = position.seat
        total = len(position.choices) - len(position.cells_for(1 - seat))
        return total * MOBILITY + self.balance(position.cells, position.size, seat)

    def balance(self, cells: bytearray, size: int, seat: int) -> int:
        """What the seat's discs are worth by their places, less the rival's."""
        total = 0
        for cell in range(WIDTH, WIDTH * (size + 1)):
            owner = cells[cell]
            if owner < EMPTY:
                total += self.worth[cell] if owner == seat else -self.worth[cell]
        for number in range(4):
            owner = cells[self.corners[number]]
            if owner < EMPTY:
                safe = self.safe(cells, number)
                total += safe if owner == seat else -safe
        return total

    def safe(self, cells: bytearray, number: int) -> int:
        """What a disc in a corner adds to its own side's discs around it, which it protects."""
        corner, across, along = self.corners[number], self.across[number], self.along[number]
        owner = cells[corner]
        total = 0
        for step in (across, along):
            there = corner + step
            while cells[there] == owner:
                total += SAFE - self.worth[there]
                there += step
        if cells[corner + across + along] == owner:
            total -= self.worth[corner + across + along]
        return total


def list_choices(position: ReversiPosition) -> list[tuple[int, str]]:
    """The cells where the seat to move may put a disc, with their names."""
    return list(zip(position.choices, position.legal(position.seat), strict=True))


def final(position: ReversiPosition) -> int:
    """The value of a bout that is over."""
    return worth_of_lead(
        position.cells.count(position.seat) - position.cells.count(1 - position.seat)
    )


def worth_of_lead(lead: int) -> int:
    """The value of a bout that ends with a lead of so many discs."""
    if lead == 0:
        return 0
    return WON + lead if lead > 0 else lead - WON


def worths(size: int) -> list[int]:
    """What a disc is worth by its place, for every cell of the frame."""
    found = [0] * (WIDTH * WIDTH)
    for row in range(size):
        for column in range(size):
            found[(row + 1) * WIDTH + column + 1] = worth(row, column, size)
    return found


def worth(row: int, column: int, size: int) -> int:
    """What a disc is worth: a corner much, the cells that give it away less than nothing."""
    near, far = sorted((min(row, size - 1 - row), min(column, size - 1 - column)))
    if near == 0:
        return {0: 100, 1: -20, 2: 10}.get(far, 5)
    if near == 1:
        return -40 if far == 1 else -5
    return 0
