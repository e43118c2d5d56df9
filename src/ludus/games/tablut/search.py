"""Alpha-beta search for the Tablut family, compiled, the same for both sides.

Negamax with a principal variation window, iterative deepening, a transposition table, killer and
history moves; quicker wins score higher. Nothing is pruned on a guess: at a fixed depth the score
is that of the full tree, which makes fixed depths yardsticks of strength.

Scores are whole numbers for the side that moves: twentieths of the evaluation's unit (see
evaluate.py), or ``WIN`` less the plies to the end for a win that is certain.
"""

from __future__ import annotations

import random
import time
from array import array
from typing import NamedTuple

import cython

from ludus.errors import LudusError
from ludus.games.tablut.notation import move_text
from ludus.games.tablut.pieces import cells_of, move_of
from ludus.games.tablut.rules import TablutPosition, repetition_loser, repetition_times
from ludus.games.tablut.terrain import Terrain

if not cython.compiled:
    from ludus.games.tablut.board import TablutBoard
    from ludus.games.tablut.evaluate import king_escapes, king_term
    from ludus.games.tablut.grid import ATTACKERS, CERTAIN, DEFENDERS, MAX_MOVES, STUCK, WIN
    from ludus.games.tablut.ordering import Ordering
else:
    from cython.cimports.ludus.games.tablut.board import TablutBoard  # type: ignore[no-redef]
    from cython.cimports.ludus.games.tablut.evaluate import (  # type: ignore[no-redef]
        king_escapes,
        king_term,
    )
    from cython.cimports.ludus.games.tablut.grid import (  # type: ignore[no-redef]
        ATTACKERS,
        CERTAIN,
        DEFENDERS,
        MAX_MOVES,
        STUCK,
        WIN,
    )
    from cython.cimports.ludus.games.tablut.ordering import Ordering  # type: ignore[no-redef]

DEEPEST = 60
"""Plies a search may look ahead."""
PATIENCE = 2.0
"""A search stops at this multiple of its time on the wall clock, however busy the machine is."""


class Found(NamedTuple):
    """The result of a search."""

    move: str
    score: int
    """The value for the side that moves."""
    nodes: int
    """Positions looked at."""
    depth: int
    """Plies of the last depth that was searched to its end."""


def search(position: TablutPosition, depth: int = 0, seconds: float = 0.0, seed: int = 0) -> Found:
    """The best move to a depth, or within seconds of CPU time, or whichever comes first.

    Equal moves are chosen between by the seed. Nothing is remembered from one call to the next,
    so that a call to a fixed depth always gives the same result.
    """
    bits = 16 if 0 < depth <= 4 else 20
    return Searcher(bits).search(position, depth, seconds, seed)


@cython.final
@cython.cclass
class Searcher:
    """A search with a memory: keep one for a whole bout."""

    def __init__(self, bits: int = 19) -> None:
        """A table of 2 ** bits positions, 16 bytes each."""
        if not 1 <= bits <= 28:
            raise LudusError(
                f"a table has 2 ** 1 to 2 ** 28 entries, got 2 ** {bits}",
                f"置换表大小应为 2 ** 1 到 2 ** 28，得到 2 ** {bits}",
            )
        self.keys = array("Q", bytes(8 << bits))
        self.entries = array("Q", bytes(8 << bits))
        self.mask = (1 << bits) - 1
        self.terrain: Terrain | None = None
        self.order = Ordering()
        if not cython.compiled:
            self.path = [0] * 128

    def search(
        self, position: TablutPosition, depth: int = 0, seconds: float = 0.0, seed: int = 0
    ) -> Found:
        """As the function ``search``, but with what is still in the table."""
        if position.outcome is not None:
            raise LudusError(
                "the bout is over: there is no move to look for", "对局已经结束，没有着法可搜索"
            )
        if depth < 0 or (depth == 0 and seconds <= 0):
            raise LudusError("a search needs a depth or a time", "搜索需要给定深度或时间")
        self._prepare(position, seconds)
        moves = [move_of(s, t, position.size) for s, t in self.board.moves()]
        generator = random.Random(seed)
        generator.shuffle(moves)
        deepest = min(depth or DEEPEST, DEEPEST, self.board.terrain.limit - self.board.ply)
        found = self._deepen(moves, deepest, seconds <= 0)
        best = moves[int(generator.random() * self.ties)]
        source, target = cells_of(best, position.size)
        return Found(move_text(source, target, position.size), *found)

    def _prepare(self, position: TablutPosition, seconds: float) -> None:
        self.board = position.board.copy()
        self.seen = position.seen
        rule = position.settings.repetition
        self.loser = -2 if rule in ("off", "mover") else repetition_loser(rule)
        self.times = repetition_times(rule)
        if self.terrain is not self.board.terrain:
            self.terrain = self.board.terrain
            self.keys = array("Q", bytes(8 * (int(self.mask) + 1)))
        self.material = self.board.pieces(DEFENDERS) - self.board.pieces(ATTACKERS)
        self.nodes = 0
        self.stopped = False
        self.wall, self.cpu, self.seconds = time.perf_counter(), time.thread_time(), seconds
        self.order.fade()

    def _deepen(self, moves: list[int], deepest: int, fixed: bool) -> tuple[int, int, int]:
        """Search one ply deeper each time: the score, nodes and depth reached.

        The best moves come to the front of the list, ``ties`` of them. A depth that ran out of
        time gives what it proved.
        """
        score, done = 0, 0
        self.ties = 1
        for depth in range(1, deepest + 1):
            best, value = self._root(moves, depth, fixed and depth == deepest)
            if best:
                score, self.ties = value, len(best)
                moves[:] = best + [move for move in moves if move not in best]
            if self.stopped:
                break
            done = depth
            if abs(score) >= CERTAIN or len(moves) == 1 or self._half_spent():
                break
        return score, int(self.nodes), done

    def _root(self, moves: list[int], depth: int, even: bool) -> tuple[list[int], int]:
        """The best moves and their score; none if the time ended before the first was searched.

        Only with ``even`` are equal moves distinguished from those that are only not better.
        """
        best: list[int] = []
        top = -WIN - 1
        for move in moves:
            alpha = top - 1 if even and best else top
            score = self.child(move, depth, alpha, WIN + 1, 0, not best)
            if self.stopped:
                break
            if score > top:
                best, top = [move], score
            elif even and score == top:
                best.append(move)
        return best, top

    def _half_spent(self) -> bool:
        """Whether so much time is gone that the next depth would hardly be finished."""
        return self.seconds > 0 and time.thread_time() - self.cpu > self.seconds / 2

    @cython.cfunc
    @cython.exceptval(-1)
    def out_of_time(self) -> cython.bint:
        if self.seconds <= 0:
            return False
        if time.thread_time() - self.cpu >= self.seconds:
            return True
        return time.perf_counter() - self.wall >= PATIENCE * self.seconds

    @cython.cfunc
    @cython.exceptval(check=False)
    def make(self, move: cython.int) -> cython.int:
        taken: cython.int = self.board.make(move)
        if taken:
            self.material += balance(taken, self.board.side)
        return taken

    @cython.cfunc
    @cython.exceptval(check=False)
    def unmake(self, move: cython.int, taken: cython.int) -> cython.void:
        if taken:
            self.material -= balance(taken, self.board.side)
        self.board.unmake(move, taken)

    @cython.cfunc
    @cython.exceptval(check=False)
    def verdict(self, ending: cython.int, height: cython.int) -> cython.int:
        """The score of a finished bout for the side to move."""
        winner: cython.int = self.board.winner(ending)
        if winner < 0:
            return 0
        return WIN - height if winner == self.board.side else height - WIN

    @cython.cfunc
    @cython.exceptval(check=False)
    def leaf(self, height: cython.int) -> cython.int:
        """The score of a bout that goes on, without looking further."""
        board: TablutBoard = self.board
        if board.stuck(board.side):
            return self.verdict(STUCK, height)
        value: cython.int = king_term(board) + self.material
        return value if board.side == DEFENDERS else -value

    @cython.cfunc
    @cython.exceptval(-9, check=True)
    def child(
        self,
        move: cython.int,
        depth: cython.int,
        alpha: cython.int,
        beta: cython.int,
        height: cython.int,
        pv: cython.bint,
    ) -> cython.int:
        """The score of a move: with a full window if it is the first, else proved not better."""
        taken: cython.int = self.make(move)
        score: cython.int
        if pv:
            score = -self.negamax(depth - 1, -beta, -alpha, height + 1)
        else:
            score = -self.negamax(depth - 1, -alpha - 1, -alpha, height + 1)
            if alpha < score < beta and not self.stopped:
                score = -self.negamax(depth - 1, -beta, -alpha, height + 1)
        self.unmake(move, taken)
        return score

    @cython.cfunc
    @cython.exceptval(-9, check=True)
    def negamax(
        self, depth: cython.int, alpha: cython.int, beta: cython.int, height: cython.int
    ) -> cython.int:
        """The score of the position for the side to move, exact between alpha and beta."""
        board: TablutBoard = self.board
        self.nodes += 1
        if (self.nodes & 2047) == 0 and self.out_of_time():
            self.stopped = True
        if self.stopped:
            return 0
        if board.king_x == 0 or board.king_home() or board.ply >= board.terrain.limit:
            return self.verdict(board.ending(board.count(board.side)), height)
        if self.seen is not None and self.repeats(height):
            loser: cython.int = self.loser if self.loser > -2 else 1 - board.side
            if loser == 2:
                return 0
            return height - WIN if loser == board.side else WIN - height
        if depth <= 0:
            return self.leaf(height)
        left: cython.int = board.terrain.limit - board.ply
        key: cython.ulonglong = self.key_at(depth)
        slot: cython.ulonglong = key & self.mask
        first: cython.int = 0
        if self.keys[slot] == key:
            entry: cython.ulonglong = self.entries[slot]
            first = entry & 0xFFFFF
            seen_depth: cython.int = (entry >> 42) & 0xFF
            if seen_depth >= depth and (seen_depth < left or depth >= left):
                score: cython.int = ((entry >> 20) & 0x3FFFFF) - 0x200000
                bound: cython.int = (entry >> 50) & 3
                if score >= CERTAIN:
                    score -= height
                elif score <= -CERTAIN:
                    score += height
                if bound == 0 or (bound == 1 and score >= beta) or (bound == 2 and score <= alpha):
                    return score
        return self.best_of(first, depth, alpha, beta, height)

    @cython.cfunc
    @cython.exceptval(-9, check=True)
    def best_of(
        self,
        first: cython.int,
        depth: cython.int,
        alpha: cython.int,
        beta: cython.int,
        height: cython.int,
    ) -> cython.int:
        """Try the moves of a position, likely good ones first."""
        board: TablutBoard = self.board
        if board.side == DEFENDERS and board.ply + 1 < board.terrain.limit and king_escapes(board):
            return WIN - height - 1
        if cython.compiled:
            moves = cython.declare(cython.int[MAX_MOVES])  # type: ignore[misc, valid-type]
            ranks = cython.declare(cython.int[MAX_MOVES])  # type: ignore[misc, valid-type]
        else:
            moves, ranks = [0] * MAX_MOVES, [0] * MAX_MOVES
        found: cython.int = board.fill(board.side, moves)
        if found == 0:
            return self.verdict(STUCK, height)
        self.order.rank(board, moves, ranks, found, first, height)
        key: cython.ulonglong = self.key_at(depth)
        self.path[height] = board.key
        best: cython.int = -WIN - 1
        best_move: cython.int = 0
        low: cython.int = alpha
        i: cython.int
        move: cython.int
        for i in range(found):
            move = self.order.bring_best(moves, ranks, i, found)
            score: cython.int = self.child(move, depth, low, beta, height, i == 0)
            if self.stopped:
                return 0
            if score > best:
                best, best_move = score, move
                low = max(low, score)
            if best >= beta:
                self.order.praise(board.side, best_move, depth, height)
                break
        bound: cython.int = 1 if best >= beta else 2 if best <= alpha else 0
        self.store(key, depth, height, best, best_move, bound)
        return best

    @cython.cfunc
    @cython.exceptval(-1)
    def repeats(self, height: cython.int) -> cython.bint:
        """Whether the position has now come as often as the repetition rule wants."""
        assert self.seen is not None
        times: cython.int = self.seen.get(self.board.key, 0)
        i: cython.int
        for i in range(height):
            times += self.path[i] == self.board.key
        return times + 1 >= self.times

    @cython.cfunc
    @cython.exceptval(check=False)
    def key_at(self, depth: cython.int) -> cython.ulonglong:
        """The position's key; near the limit of plies the ply matters too."""
        board: TablutBoard = self.board
        if depth < board.terrain.limit - board.ply:
            return board.key
        ply: cython.ulonglong = board.ply
        return board.key ^ ((ply + 1) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF)

    @cython.cfunc
    @cython.exceptval(check=False)
    def store(
        self,
        key: cython.ulonglong,
        depth: cython.int,
        height: cython.int,
        score: cython.int,
        move: cython.int,
        bound: cython.int,
    ) -> cython.void:
        """Keep a result; of two positions for one place the newer stays.

        ``bound`` 0 says that the score is exact, 1 that it is at least, 2 that it is at most so.
        """
        slot: cython.ulonglong = key & self.mask
        if score >= CERTAIN:
            score += height
        elif score <= -CERTAIN:
            score -= height
        self.keys[slot] = key
        self.entries[slot] = (
            cython.cast(cython.ulonglong, move)
            | (cython.cast(cython.ulonglong, score + 0x200000) << 20)
            | (cython.cast(cython.ulonglong, depth) << 42)
            | (cython.cast(cython.ulonglong, bound) << 50)
        )


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def balance(taken: cython.int, foe: cython.int) -> cython.int:
    """How a capture changes defenders minus attackers, when ``foe`` is to move after it."""
    lost: cython.int = (
        (taken & 1) + ((taken >> 1) & 1) + ((taken >> 2) & 1) + ((taken >> 3) & 1)
    ) - ((taken >> 8) & 1)
    return lost if foe == ATTACKERS else -lost
