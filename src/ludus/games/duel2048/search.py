"""The search of the house bot ``strong``: alpha-beta, one round deeper in each iteration.

Both seats know the random sequence, so nothing is left to chance. Phases alternate between the
seats, skipped ones too, so every value is the negative of the other seat's. A search stops only
where a round begins: boards are compared when both seats have merged. A move is a number: a
cell in the first half of a round, a heading in the second.
"""

from __future__ import annotations

import time

import cython

from ludus.games.duel2048.rules import CELL_NAMES, DIRECTIONS, TOP_LEVEL, DuelPosition, score

if not cython.compiled:
    from ludus.games.duel2048.board import Chessboard
    from ludus.games.duel2048.tiles import copy_tiles
else:
    from cython.cimports.ludus.games.duel2048.board import (  # type: ignore[no-redef]
        Chessboard,
    )
    from cython.cimports.ludus.games.duel2048.tiles import copy_tiles  # type: ignore[no-redef]

NO_LIMIT = 1 << 30
NODES_BETWEEN_LOOKS = 128 if cython.compiled else 2
"""The clock is looked at every so many nodes: about every 50 µs compiled."""

DEEPEST = cython.declare(cython.int, 60)
WIDEST = cython.declare(cython.int, 17)
"""One cell of its own territory and 16 of the rival's."""
WIDE = cython.declare(cython.int, 4)
NARROW = cython.declare(cython.int, 2)
"""How many cells are tried in the first plies, and in later ones."""
WIDE_PLIES = cython.declare(cython.int, 3)
OWN_CELL_FIRST = cython.declare(cython.int, 1000)

WIN = cython.declare(cython.int, 1_000_000_000)
INFINITE = cython.declare(cython.int, 2_000_000_000)

# The evaluation, tuned by matches of the bot against itself.
TILE, GROWTH = 16, 3
"""A tile is worth TILE × GROWTH to the power of its level, as long as that level counts."""
LEVELS = cython.declare(cython.int, TOP_LEVEL + 1)
EMPTY = cython.declare(cython.int, 8)
"""An empty cell in the seat's own territory."""
TWINS = cython.declare(cython.int, 16)
"""Two equal neighbours, times their level."""
STEP = cython.declare(cython.int, 2)
"""What two neighbours of one owner lose for each level between them."""

FIRST_HOME = cython.declare(cython.uint, 0x0F0F0F0F)
SECOND_HOME = cython.declare(cython.uint, 0xF0F0F0F0)


@cython.cclass
class Search:
    """Finds moves for one bout; what it learnt about good moves serves the next decision."""

    def __init__(self, position: DuelPosition) -> None:
        self.array = position.board.array
        self.end = position.rounds * 4
        self.boards = [Chessboard(self.array) for _ in range(DEEPEST + 2)]
        self.nodes = self.depth = self.score = 0
        if not cython.compiled:
            self.killers, self.worth = [0] * 128, [0] * LEVELS
            self.moves, self.marks = ([0] * ((DEEPEST + 2) * WIDEST) for _ in range(2))
        for phase in range(128):
            self.killers[phase] = -1
        for level in range(LEVELS):
            self.worth[level] = TILE * GROWTH**level

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
        root: Chessboard = position.board
        phase: cython.int = position.phase
        depth: cython.int
        self.deadline = start + seconds
        self.most_nodes = nodes
        self.look_at = min(nodes, NODES_BETWEEN_LOOKS)
        self.nodes = self.depth = self.score = 0
        self.stopped = False
        copy_tiles(root, self.boards[0])
        count: cython.int = self._list(0, phase)
        last: cython.int = min(DEEPEST, self.end - phase + 1, deepest + 1) - 1
        if (count > 1 or deepest < NO_LIMIT) and seconds > 0:
            for depth in range(1, last + 1):
                if (phase + depth) & 3 and depth < last:
                    continue  # it would look to the end of the same round as a later one
                self._deepen(phase, depth, count)
                if self.stopped or time.thread_time() > start + seconds / 2:
                    break  # the next iteration would hardly get far
                self.depth = depth
        best: cython.int = self.moves[0]
        return DIRECTIONS[best] if phase & 2 else CELL_NAMES[best]

    def _deepen(self, phase: cython.int, depth: cython.int, count: cython.int) -> None:
        """One iteration over the moves of the root; each better one is moved to the front."""
        alpha: cython.int = -INFINITE
        value: cython.int
        i: cython.int
        for i in range(count):
            self._make(0, phase, self.moves[i])
            value = alpha + 1
            if i > 0:  # is it better at all?
                value = -self._search(1, phase + 1, depth - 1, -alpha - 1, -alpha)
            if value > alpha and not self.stopped:
                value = -self._search(1, phase + 1, depth - 1, -INFINITE, -alpha)
            if self.stopped:
                return
            if value > alpha:
                alpha = value
                self._to_front(0, i)
        self.score = alpha

    @cython.cfunc
    @cython.exceptval(-2, check=True)
    def _search(
        self,
        ply: cython.int,
        phase: cython.int,
        depth: cython.int,
        alpha: cython.int,
        beta: cython.int,
    ) -> cython.int:
        """The value of the board of this ply for the seat whose phase it is."""
        self.nodes += 1
        if self.nodes >= self.look_at:
            self._look_at_clock()
        if self.stopped:
            return 0
        board: Chessboard = self.boards[ply]
        first: cython.bint = (phase & 1) == 0
        if phase >= self.end:
            return self._final(board, first)
        if (depth <= 0 and (phase & 3) == 0) or ply >= DEEPEST:
            return self._evaluate(board) if first else -self._evaluate(board)
        count: cython.int = self._list(ply, phase)
        best: cython.int = -INFINITE
        value: cython.int
        move: cython.int
        i: cython.int
        for i in range(count):
            move = self.moves[ply * WIDEST + i]
            if not self._make(ply, phase, move):
                continue
            value = alpha + 1
            if best > -INFINITE:  # is it better at all?
                value = -self._search(ply + 1, phase + 1, depth - 1, -alpha - 1, -alpha)
            if (best == -INFINITE or alpha < value < beta) and not self.stopped:
                value = -self._search(ply + 1, phase + 1, depth - 1, -beta, -alpha)
            if self.stopped:
                return 0
            best = max(best, value)
            if value > alpha:
                alpha = value
                self.killers[phase & 127] = move
                if value >= beta:
                    break
        if best == -INFINITE:
            return self._skip(ply, phase, depth, alpha, beta)
        return best

    @cython.cfunc
    @cython.exceptval(-2, check=True)
    def _skip(
        self,
        ply: cython.int,
        phase: cython.int,
        depth: cython.int,
        alpha: cython.int,
        beta: cython.int,
    ) -> cython.int:
        """The value when the seat can do nothing in this phase."""
        board: Chessboard = self.boards[ply]
        if board.full() and board.stuck(True) and board.stuck(False):
            return self._final(board, (phase & 1) == 0)
        return -self._search(ply, phase + 1, depth - 1, -beta, -alpha)

    @cython.cfunc
    def _look_at_clock(self) -> cython.void:
        self.look_at = min(self.nodes + NODES_BETWEEN_LOOKS, self.most_nodes)
        self.stopped = self.nodes >= self.most_nodes or time.thread_time() > self.deadline

    # Moves.

    @cython.cfunc
    @cython.exceptval(check=False)
    def _make(self, ply: cython.int, phase: cython.int, move: cython.int) -> cython.bint:
        """Play a move on the board of the next ply; False for a merge that changes nothing."""
        after: Chessboard = self.boards[ply + 1]
        copy_tiles(self.boards[ply], after)
        if phase & 2:
            return after.merge((phase & 1) == 0, move)
        after.put(move, 1)
        return True

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def _list(self, ply: cython.int, phase: cython.int) -> cython.int:
        """Write the moves to try to the ply's part of ``moves``, likely ones first; how many."""
        start: cython.int = ply * WIDEST
        count: cython.int
        most: cython.int
        i: cython.int
        if phase & 2:
            count = self._list_merges(ply, phase)
        else:
            count = self._list_puts(ply, phase)
            most = WIDE if ply < WIDE_PLIES else NARROW
            count = min(count, most) if ply else count
        for i in range(start, start + count):
            if self.moves[i] == self.killers[phase & 127]:
                self._to_front(start, i)
                break
        return count

    @cython.cfunc
    @cython.exceptval(check=False)
    def _list_merges(self, ply: cython.int, phase: cython.int) -> cython.int:
        """The headings; only at the root is it asked here whether they change anything."""
        count: cython.int = 0
        heading: cython.int
        for heading in range(4):
            if ply or self._make(0, phase, heading):
                self.moves[ply * WIDEST + count] = heading
                count += 1
        return count

    @cython.cfunc
    @cython.boundscheck(True)
    @cython.exceptval(-2, check=False)
    def _list_puts(self, ply: cython.int, phase: cython.int) -> cython.int:
        """The seat's own cell, then the rival's, those first where a tile is most in the way."""
        board: Chessboard = self.boards[ply]
        first: cython.bint = (phase & 1) == 0
        empty: cython.uint = ~(board.first | board.second)
        theirs: cython.uint = empty & (SECOND_HOME if first else FIRST_HOME)
        start: cython.int = ply * WIDEST
        count: cython.int = 0
        cell: cython.int
        if empty & (FIRST_HOME if first else SECOND_HOME):
            self.moves[start] = board.spot(first, self.array[phase >> 2])
            self.marks[start] = OWN_CELL_FIRST
            count = 1
        for cell in range(32):
            if (theirs >> cell) & 1:
                self.moves[start + count] = cell
                self.marks[start + count] = nuisance(board, cell)
                count += 1
        self._sort(start, count)
        return count

    @cython.cfunc
    @cython.exceptval(check=False)
    def _sort(self, start: cython.int, count: cython.int) -> cython.void:
        """Order a ply's moves by falling marks; equal ones keep their order."""
        i: cython.int
        k: cython.int
        move: cython.int
        mark: cython.int
        for i in range(start + 1, start + count):
            move, mark = self.moves[i], self.marks[i]
            k = i
            while k > start and self.marks[k - 1] < mark:
                self.moves[k], self.marks[k] = self.moves[k - 1], self.marks[k - 1]
                k -= 1
            self.moves[k], self.marks[k] = move, mark

    @cython.cfunc
    @cython.exceptval(check=False)
    def _to_front(self, start: cython.int, index: cython.int) -> cython.void:
        move: cython.int = self.moves[index]
        i: cython.int
        for i in range(index, start, -1):
            self.moves[i] = self.moves[i - 1]
        self.moves[start] = move

    # Values.

    @cython.cfunc
    @cython.exceptval(-2, check=True)
    def _final(self, board: Chessboard, first: cython.bint) -> cython.int:
        """The value for a seat of a board that stays as it is."""
        points: cython.double = score(board).scores[0 if first else 1]
        value: cython.int = self._evaluate(board) if first else -self._evaluate(board)
        if points == 0.5:
            return 0
        return value + WIN if points > 0.5 else value - WIN

    @cython.cfunc
    @cython.exceptval(check=False)
    def _evaluate(self, board: Chessboard) -> cython.int:
        """How good a board is for the first player when a round begins."""
        taken: cython.uint = board.first | board.second
        value: cython.int = 0
        part: cython.int
        cell: cython.int
        for cell in range(32):
            if not (taken >> cell) & 1:
                value += EMPTY if (cell & 7) < 4 else -EMPTY
                continue
            part = self._worth(board.level[cell])
            value += part if (board.first >> cell) & 1 else -part
            if (cell & 7) < 7 and (taken >> (cell + 1)) & 1:
                value += self._pair(board, cell, cell + 1)
            if cell < 24 and (taken >> (cell + 8)) & 1:
                value += self._pair(board, cell, cell + 8)
        return value

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _worth(self, level: cython.int) -> cython.int:
        return self.worth[level] if level < LEVELS else 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def _pair(self, board: Chessboard, cell: cython.int, near: cython.int) -> cython.int:
        """What two neighbouring tiles add for the first player."""
        mine: cython.bint = ((board.first >> cell) & 1) != 0
        level: cython.int = board.level[cell]
        gap: cython.int = level - board.level[near]
        value: cython.int
        if mine != (((board.first >> near) & 1) != 0):
            return self._worth(level) // 4 if gap == 0 else 0  # the first merges first
        if gap == 0:
            value = TWINS * level
        else:
            value = -STEP * gap if gap > 0 else STEP * gap
        return value if mine else -value


@cython.cfunc
@cython.exceptval(check=False)
def nuisance(board: Chessboard, cell: cython.int) -> cython.int:
    """How much a tile of level 1 on an empty cell would be in the way of what lies around it."""
    mark: cython.int = 0
    if cell >= 8:
        mark += bother(board.level[cell - 8])
    if cell < 24:
        mark += bother(board.level[cell + 8])
    if cell & 7:
        mark += bother(board.level[cell - 1])
    if (cell & 7) < 7:
        mark += bother(board.level[cell + 1])
    return mark


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def bother(level: cython.int) -> cython.int:
    """High tiles mind a neighbour of level 1; one of level 1 welcomes it; an empty cell is 0."""
    return -10 if level == 1 else level
