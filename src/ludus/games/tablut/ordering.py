"""Which moves a search tries first, compiled: what refuted other moves before likely does again."""

from __future__ import annotations

import cython

if not cython.compiled:
    from ludus.games.tablut.board import TablutBoard
else:
    from cython.cimports.ludus.games.tablut.board import TablutBoard  # type: ignore[no-redef]


@cython.final
@cython.cclass
class Ordering:
    """The memory of good moves: two *killers* per height of the tree, and a history of all."""

    def __init__(self) -> None:
        if not cython.compiled:
            self.killers, self.history = [0] * 128, [0] * 32768
        i: cython.int
        for i in range(32768):
            self.history[i] = 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def fade(self) -> cython.void:
        """A new search begins: forget the killers, and most of the history."""
        i: cython.int
        for i in range(128):
            self.killers[i] = 0
        for i in range(32768):
            self.history[i] //= 8

    @cython.cfunc
    @cython.exceptval(check=False)
    def rank(
        self,
        board: TablutBoard,
        moves: cython.p_int,
        ranks: cython.p_int,
        found: cython.int,
        first: cython.int,
        height: cython.int,
    ) -> cython.void:
        """How promising each move is: the table's, captures, killers, then by their history."""
        side: cython.int = board.side
        taken: cython.int
        move: cython.int
        i: cython.int
        for i in range(found):
            move = moves[i]
            taken = board.captures(
                (move >> 10) & 31,
                move >> 15,
                side,
                (move & 31) == board.king_x and ((move >> 5) & 31) == board.king_y,
            )
            if move == first:
                ranks[i] = 1 << 30
            elif taken:
                ranks[i] = (1 << 24) + taken
            elif move == self.killers[2 * height] or move == self.killers[2 * height + 1]:
                ranks[i] = 1 << 23
            else:
                ranks[i] = self.history[history_slot(move, side)]

    @cython.cfunc
    @cython.exceptval(check=False)
    def praise(
        self, side: cython.int, move: cython.int, depth: cython.int, height: cython.int
    ) -> cython.void:
        """Remember a move that refuted the one before."""
        slot: cython.int = history_slot(move, side)
        if self.killers[2 * height] != move:
            self.killers[2 * height + 1] = self.killers[2 * height]
            self.killers[2 * height] = move
        self.history[slot] = min(self.history[slot] + depth * depth, 1 << 22)

    @cython.cfunc
    @cython.exceptval(check=False)
    def bring_best(
        self, moves: cython.p_int, ranks: cython.p_int, start: cython.int, end: cython.int
    ) -> cython.int:
        """Swap the most promising of the moves left to the front, and return it."""
        best: cython.int = start
        i: cython.int
        for i in range(start + 1, end):
            if ranks[i] > ranks[best]:
                best = i
        move: cython.int = moves[best]
        moves[start], moves[best] = move, moves[start]
        ranks[start], ranks[best] = ranks[best], ranks[start]
        return move


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def history_slot(move: cython.int, side: cython.int) -> cython.int:
    return ((move ^ (move >> 6)) & 0x3FFF) | (side << 14)
