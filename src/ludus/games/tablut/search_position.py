"""Tablut as a tree search walks on it and as a network sees it, compiled.

Planes: the mover's pawns, the rival's pawns, the mover's king, the rival's king, the throne, all
ones if the defenders are to move, the share of the plies that are left, and, in variants that have
them, the camps. An action is a source
cell and a target column, or a row after all the columns:
``cell * 2 * size + (column, or size + row)``.
"""

from __future__ import annotations

from array import array
from typing import Any

import cython

from ludus.games.tablut.notation import move_text
from ludus.games.tablut.pieces import cells_of
from ludus.games.tablut.rules import TablutPosition, repetition_loser, repetition_times

if not cython.compiled:
    from ludus.games.search_position import SearchPosition, below, mixed
    from ludus.games.tablut.evaluate import king_escapes
    from ludus.games.tablut.grid import (
        DEFENDERS,
        LINES,
        MARGIN,
        MAX_MOVES,
        MAX_PIECES,
        ONGOING,
        TAKES_KING,
    )
else:
    from cython.cimports.ludus.games.search_position import SearchPosition, below, mixed  # type: ignore[no-redef]
    from cython.cimports.ludus.games.tablut.evaluate import (  # type: ignore[no-redef]
        king_escapes,
    )
    from cython.cimports.ludus.games.tablut.grid import (  # type: ignore[no-redef]
        DEFENDERS,
        LINES,
        MARGIN,
        MAX_MOVES,
        MAX_PIECES,
        ONGOING,
        TAKES_KING,
    )

PLANES = 7
"""Planes of a board without camps."""
NO_RULE = cython.declare(cython.int, -2)
MOVER = cython.declare(cython.int, -1)
"""Repetition: nothing happens, or the seat that repeats loses; else the loser's seat, 2: a draw."""
GOLDEN = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
WORD = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


@cython.final
@cython.cclass
class TablutSearchPosition(SearchPosition):
    """A position of the family."""

    def __init__(self, position: TablutPosition) -> None:
        size = position.size
        self.board = position.board.copy()
        self.planes = PLANES + (1 if self.board.terrain.has_camps else 0)
        self.cells, self.actions = size**2, 2 * size**3
        rule = position.settings.repetition
        fixed = {"off": NO_RULE, "mover": MOVER}
        self.rule = fixed[rule] if rule in fixed else repetition_loser(rule)
        self.times = repetition_times(rule)
        came = [key for key, times in (position.seen or {}).items() for _ in range(times)]
        self.made = len(came)
        self.path = array("Q", came + [0] * (self.board.terrain.limit + 2 if came else 1))
        self.settle()

    def copy(self) -> TablutSearchPosition:
        twin: TablutSearchPosition = TablutSearchPosition.__new__(TablutSearchPosition)
        twin.planes, twin.cells, twin.actions = self.planes, self.cells, self.actions
        twin.board, twin.rule, twin.times = self.board.copy(), self.rule, self.times
        twin.path = array("Q", self.path)
        twin.become(self)
        return twin

    def codes(self) -> bytes:
        return self.board.codes()

    @property
    def ply(self) -> int:
        return self.board.ply

    def text(self, move: int) -> str:
        size = self.board.terrain.size
        return move_text(*cells_of(move, size), size)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fill(self, moves: cython.p_int) -> cython.int:
        return self.board.fill(self.board.side, moves)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def make(self, move: cython.int) -> cython.void:
        taken: cython.int = self.board.make(move)
        if self.rule != NO_RULE:
            if taken:  # no position from before can come again
                self.made = 0
            self.path[self.made] = self.board.key
            self.made += 1
        self.settle()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def settle(self) -> cython.void:
        """Set who is to move, or how the bout ended."""
        self.seat = self.board.side
        ending: cython.int = self.board.ending(0 if self.board.stuck(self.seat) else 1)
        winner: cython.int
        self.over = ending != ONGOING
        self.score = 0.0
        if self.over:
            winner = self.board.winner(ending)
        elif self.rule != NO_RULE and self.repeats():
            self.over = True
            winner = self.seat if self.rule == MOVER else 1 - self.rule
        else:
            return
        if winner >= 0:
            self.score = 1.0 if winner == DEFENDERS else -1.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def repeats(self) -> cython.bint:
        times: cython.int = 0
        i: cython.int
        for i in range(self.made):
            times += self.path[i] == self.board.key
        return times >= self.times

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def become(self, other: SearchPosition) -> cython.void:
        i: cython.int
        self.seat, self.over, self.score = other.seat, other.over, other.score
        self.board.become(cython.cast(TablutSearchPosition, other).board)
        self.made = cython.cast(TablutSearchPosition, other).made
        if self.rule != NO_RULE:
            for i in range(self.made):
                self.path[i] = cython.cast(TablutSearchPosition, other).path[i]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def action(self, move: cython.int) -> cython.int:
        size: cython.int = self.board.terrain.size
        x: cython.int = (move & 31) - MARGIN
        y: cython.int = ((move >> 5) & 31) - MARGIN
        to_x: cython.int = ((move >> 10) & 31) - MARGIN
        to_y: cython.int = (move >> 15) - MARGIN
        return (y * size + x) * 2 * size + (to_x if y == to_y else size + to_y)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    @cython.locals(out="float[::1]")
    def encode(self, out: Any, at: cython.Py_ssize_t) -> cython.void:
        size: cython.int = self.board.terrain.size
        cells: cython.int = size * size
        mine: cython.int = self.board.side * LINES
        rivals: cython.int = LINES - mine
        limit: cython.int = self.board.terrain.limit
        left: cython.float = (limit - self.board.ply) / cython.cast(cython.double, limit)
        defend: cython.float = 1.0 if self.board.side == DEFENDERS else 0.0
        x: cython.int
        y: cython.int
        for y in range(MARGIN, MARGIN + size):
            for x in range(MARGIN, MARGIN + size):
                out[at] = (self.board.rows[mine + y] >> x) & 1
                out[at + cells] = (self.board.rows[rivals + y] >> x) & 1
                out[at + 2 * cells] = out[at + 3 * cells] = out[at + 4 * cells] = 0.0
                out[at + 5 * cells] = defend
                out[at + 6 * cells] = left
                if self.board.terrain.has_camps:
                    out[at + 7 * cells] = (self.board.terrain.own_camp[y * LINES + x] >> x) & 1
                at += 1
        at -= cells
        out[at + 4 * cells + cells // 2] = 1.0
        if self.board.king_x:
            at += (self.board.king_y - MARGIN) * size + self.board.king_x - MARGIN
            if self.board.side != DEFENDERS:
                at += cells
            out[at] = 0.0
            out[at + 2 * cells] = 1.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def key(self) -> cython.ulonglong:
        ply: cython.ulonglong = self.board.ply + 1
        return self.board.key ^ (ply * GOLDEN & WORD)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def wins(self) -> cython.bint:
        """Whether the king can reach his goal, or be captured, by the next move."""
        if self.board.ply + 1 >= self.board.terrain.limit and self.board.terrain.last_ply:
            return False
        if self.board.side == DEFENDERS:
            return king_escapes(self.board)
        if cython.compiled:
            moves = cython.declare(cython.int[MAX_MOVES])  # type: ignore[misc, valid-type]
        else:
            moves = [0] * MAX_MOVES
        i: cython.int
        taken: cython.int
        x: cython.int
        y: cython.int
        for i in range(self.board.fill(self.board.side, moves)):
            x = (moves[i] >> 10) & 31
            y = moves[i] >> 15
            if abs(x - self.board.king_x) + abs(y - self.board.king_y) != 1:
                continue
            taken = self.board.make(moves[i])
            self.board.unmake(moves[i], taken)
            if taken & TAKES_KING:
                return True
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def foreseen(self) -> cython.int:
        """Escapes that nothing can stop: at once, or by the move after the attackers' next."""
        if self.wins():
            return 1
        if self.rule != NO_RULE or self.board.ply + 3 >= self.board.terrain.limit:
            return 0
        if self.board.side != DEFENDERS:
            return 0 if not king_escapes(self.board) or self.parried() else -1
        if cython.compiled:
            moves = cython.declare(cython.int[MAX_MOVES])  # type: ignore[misc, valid-type]
        else:
            moves = [0] * MAX_MOVES
        i: cython.int
        taken: cython.int
        sure: cython.bint
        for i in range(self.board.fill(self.board.side, moves)):
            taken = self.board.make(moves[i])
            sure = king_escapes(self.board) and not self.parried()
            self.board.unmake(moves[i], taken)
            if sure:
                return 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def parried(self) -> cython.bint:
        """Whether a move of the attackers keeps the king, who has a way out, from leaving."""
        if cython.compiled:
            moves = cython.declare(cython.int[MAX_MOVES])  # type: ignore[misc, valid-type]
        else:
            moves = [0] * MAX_MOVES
        i: cython.int
        taken: cython.int
        held: cython.bint
        for i in range(self.board.fill(self.board.side, moves)):
            taken = self.board.make(moves[i])
            held = (taken & TAKES_KING) != 0 or not king_escapes(self.board)
            self.board.unmake(moves[i], taken)
            if held:
                return True
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rollout(self, seed: cython.ulonglong) -> cython.double:
        if cython.compiled:
            who = cython.declare(cython.int[MAX_PIECES])  # type: ignore[misc, valid-type]
            upto = cython.declare(cython.int[MAX_PIECES])  # type: ignore[misc, valid-type]
        else:
            who, upto = [0] * MAX_PIECES, [0] * MAX_PIECES
        pieces: cython.int
        number: cython.int
        i: cython.int
        while not self.over:
            if self.wins():
                return 1.0 if self.board.side == DEFENDERS else -1.0
            pieces = self.board.tally(self.board.side, who, upto)
            seed = mixed(seed)
            number = below(seed, upto[pieces - 1])
            i = 0
            while number >= upto[i]:
                i += 1
            self.make(self.board.nth(who[i], number - (upto[i - 1] if i else 0)))
        return self.score
