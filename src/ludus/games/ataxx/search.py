"""Alpha-beta search for Ataxx, compiled.

Negamax with a principal variation window, iterative deepening and a transposition table. Nothing
is pruned on a guess: at a fixed depth the score is that of the full tree.

Scores are whole numbers for the seat to move: hundredths of a piece, or ``WIN`` less the plies to
the end for a win that is certain.
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable
from typing import NamedTuple

import cython

from ludus.errors import LudusError
from ludus.games.ataxx.rules import AtaxxPosition, move_text

if not cython.compiled:
    from ludus.games.ataxx.board import grow, mix
    from ludus.games.ataxx.constants import MAX_MOVES, NO_WINNER, ONGOING
    from ludus.games.bits import count_bits
else:
    from cython.cimports.ludus.games.ataxx.board import (  # type: ignore[no-redef]
        grow,
        mix,
    )
    from cython.cimports.ludus.games.ataxx.constants import (  # type: ignore[no-redef]
        MAX_MOVES,
        NO_WINNER,
        ONGOING,
    )
    from cython.cimports.ludus.games.bits import count_bits  # type: ignore[no-redef]

DEEPEST = 60
"""Plies a search may look ahead."""
TABLE_BITS = 18
WIN = cython.declare(cython.int, 1_000_000)
CERTAIN = cython.declare(cython.int, 900_000)
"""The least score that stands for a win some plies ahead."""
INFINITY = cython.declare(cython.int, 10_000_000)
PIECE = cython.declare(cython.int, 100)
EXPOSED = cython.declare(cython.int, 25)
"""What a piece is worth less beside an empty cell: only there it can be turned by the next move."""
LOOK_EVERY = cython.declare(cython.int, 512)
"""Positions between two looks at the clock."""
NEAR_LIMIT = cython.declare(cython.int, 64)
"""Closer to the limit of moves than this, positions after other numbers of moves differ."""
EXACT = cython.declare(cython.int, 0)
AT_LEAST = cython.declare(cython.int, 1)
AT_MOST = cython.declare(cython.int, 2)
"""What a score of the table says."""


class SearchedMove(NamedTuple):
    """The result of a search to a fixed depth."""

    move: str
    score: int
    """The value for the seat to move."""


def search(position: AtaxxPosition, depth: int, seed: int = 0) -> SearchedMove:
    """The best move to a depth; the seed chooses between equal moves.

    Nothing is remembered from one call to the next, so that the same call always gives the same
    result.
    """
    if depth < 1:
        raise LudusError("a search needs a depth of at least 1", "搜索深度至少为 1")
    searcher = AtaxxSearch(12 if depth <= 4 else TABLE_BITS)
    move = searcher.choose(position, depth, random.Random(seed), bool)
    return SearchedMove(move, searcher.score)


@cython.final
@cython.cclass
class AtaxxSearch:
    """A search with a memory: keep one for a whole bout.

    After a search ``depth`` is how many plies ahead it saw everything, ``score`` what it found
    there for the seat to move, and ``nodes`` how many positions were looked at in all.
    """

    def __init__(self, bits: int = TABLE_BITS) -> None:
        """A table of 2 ** bits positions, 24 bytes each."""
        self.keys = array("Q", bytes(8 << bits))
        self.scores = array("q", bytes(8 << bits))
        self.facts = array("q", bytes(8 << bits))
        self.mask = (1 << bits) - 1
        self.nodes = self.depth = self.score = 0
        self.stopped = False
        self.enough: Callable[[], bool] = bool

    def best(self, position: AtaxxPosition, enough: Callable[[], bool]) -> str:
        """A best move, as far as could be seen before ``enough()`` said to stop."""
        return self.choose(position, DEEPEST, random.Random(), enough)

    def choose(
        self,
        position: AtaxxPosition,
        deepest: int,
        generator: random.Random,
        enough: Callable[[], bool],
    ) -> str:
        """Look one move further each time, up to a depth or until ``enough()``."""
        if position.outcome is not None:
            raise LudusError(
                "the bout is over: there is no move to look for", "对局已经结束，没有着法可搜索"
            )
        self.board = position.board.copy()
        self.enough, self.stopped = enough, False
        self.depth = self.score = 0
        moves = self.board.moves()
        generator.shuffle(moves)  # among equal moves, any
        for depth in range(1, min(deepest, position.board.limit - position.ply) + 1):
            number, score = self.best_of(moves, depth)
            moves.insert(0, moves.pop(number))
            if self.stopped:
                break
            self.depth, self.score = depth, score
            if abs(score) >= CERTAIN or len(moves) == 1:
                break
        return move_text(moves[0])

    def best_of(self, moves: list[int], depth: int) -> tuple[int, int]:
        """The number and the value of the best of these moves; when the search is stopped, the
        best of those that were searched to their end, or the first."""
        best, alpha = 0, -int(INFINITY)
        for number, move in enumerate(moves):
            value = self.after(move, depth, alpha, INFINITY, number > 0)
            if self.stopped:
                break
            if value > alpha:
                best, alpha = number, value
        return best, alpha

    @cython.cfunc
    @cython.exceptval(check=False)
    def after(
        self,
        move: cython.int,
        depth: cython.int,
        alpha: cython.int,
        beta: cython.int,
        narrow: cython.bint,
    ) -> cython.int:
        """The value of a move for the seat that makes it; if ``narrow``, tried against alpha."""
        black: cython.ulonglong = self.board.pieces[0]
        white: cython.ulonglong = self.board.pieces[1]
        placed: cython.ulonglong = self.board.placed
        since: cython.int = self.board.since
        value: cython.int
        self.board.make(move)
        if narrow:
            value = -self.value(depth - 1, -alpha - 1, -alpha)
            if alpha < value < beta:
                value = -self.value(depth - 1, -beta, -alpha)
        else:
            value = -self.value(depth - 1, -beta, -alpha)
        self.board.restore(black, white, placed, since)
        return value

    @cython.cfunc
    @cython.exceptval(check=False)
    def value(self, depth: cython.int, alpha: cython.int, beta: cython.int) -> cython.int:
        """The value of the position if it lies between alpha and beta, else a bound of it."""
        self.nodes += 1
        if self.nodes % LOOK_EVERY == 0 and self.enough():
            self.stopped = True
        if self.board.ending != ONGOING:
            return self.final()
        if depth <= 0:
            return self.estimate()
        if self.stopped:
            return 0
        key: cython.ulonglong = self.key()
        slot: cython.longlong = key & self.mask
        first: cython.int = -1
        if self.keys[slot] == key:
            first = self.facts[slot] & 0xFFF
            if self.cuts(slot, depth, alpha, beta):
                return self.scores[slot]
        return self.try_moves(key, first, depth, alpha, beta)

    @cython.cfunc
    @cython.exceptval(check=False)
    def cuts(
        self, slot: cython.longlong, depth: cython.int, alpha: cython.int, beta: cython.int
    ) -> cython.bint:
        """Whether the table knows enough about a position."""
        facts: cython.longlong = self.facts[slot]
        kind: cython.int = (facts >> 12) & 3
        if facts >> 14 < depth:
            return False
        if kind == EXACT:
            return True
        return self.scores[slot] >= beta if kind == AT_LEAST else self.scores[slot] <= alpha

    @cython.cfunc
    @cython.exceptval(check=False)
    def try_moves(
        self,
        key: cython.ulonglong,
        first: cython.int,
        depth: cython.int,
        alpha: cython.int,
        beta: cython.int,
    ) -> cython.int:
        """The best value of the moves, the promising ones first; remembers it."""
        if cython.compiled:
            moves = cython.declare(cython.int[MAX_MOVES])  # type: ignore[misc, valid-type]
            ranks = cython.declare(cython.int[MAX_MOVES])  # type: ignore[misc, valid-type]
        else:
            moves, ranks = [0] * MAX_MOVES, [0] * MAX_MOVES
        found: cython.int = self.board.fill(moves)
        rival: cython.ulonglong = self.board.pieces[1 - self.board.side]
        one: cython.ulonglong = 1
        i: cython.int
        j: cython.int
        top: cython.int
        value: cython.int
        best: cython.int = -INFINITY
        best_move: cython.int = 0
        low: cython.int = alpha
        for i in range(found):
            ranks[i] = 2 * count_bits(grow(one << (moves[i] & 63)) & rival)
            if moves[i] >> 6 == moves[i] & 63:
                ranks[i] += 3
            if moves[i] == first:
                ranks[i] = 100
        for i in range(found):
            top = i
            for j in range(i + 1, found):
                if ranks[j] > ranks[top]:
                    top = j
            moves[i], moves[top] = moves[top], moves[i]
            ranks[top] = ranks[i]
            value = self.after(moves[i], depth, low, beta, i > 0)
            if self.stopped:
                return 0
            if value > best:
                best, best_move = value, moves[i]
                if value > low:
                    low = value
                if value >= beta:
                    break
        self.remember(key, depth, best, best_move, alpha, beta)
        return best

    @cython.cfunc
    @cython.exceptval(check=False)
    def remember(
        self,
        key: cython.ulonglong,
        depth: cython.int,
        score: cython.int,
        move: cython.int,
        alpha: cython.int,
        beta: cython.int,
    ) -> cython.void:
        slot: cython.longlong = key & self.mask
        kind: cython.int = AT_LEAST if score >= beta else AT_MOST if score <= alpha else EXACT
        self.keys[slot] = key
        self.scores[slot] = score
        self.facts[slot] = (cython.cast(cython.longlong, depth) << 14) | (kind << 12) | move

    @cython.cfunc
    @cython.exceptval(check=False)
    def key(self) -> cython.ulonglong:
        """A key of the board, the seat to move and, near the limit, the number of moves."""
        word: cython.ulonglong = self.board.key()
        more: cython.ulonglong = 1 + self.board.side
        if self.board.limit - self.board.ply < NEAR_LIMIT:
            more += 2 * self.board.ply
        return word ^ mix(more)

    @cython.cfunc
    @cython.exceptval(check=False)
    def final(self) -> cython.int:
        """The value of a bout that is over, for the seat that would be to move."""
        if self.board.winner == NO_WINNER:
            return 0
        value: cython.int = WIN - self.board.ply
        return value if self.board.winner == self.board.side else -value

    @cython.cfunc
    @cython.exceptval(check=False)
    def estimate(self) -> cython.int:
        """More pieces, and fewer of them beside empty cells."""
        own: cython.ulonglong = self.board.pieces[self.board.side]
        rival: cython.ulonglong = self.board.pieces[1 - self.board.side]
        near: cython.ulonglong = grow(self.board.whole & ~(own | rival))
        pieces: cython.int = count_bits(own) - count_bits(rival)
        exposed: cython.int = count_bits(own & near) - count_bits(rival & near)
        return PIECE * pieces - EXPOSED * exposed
