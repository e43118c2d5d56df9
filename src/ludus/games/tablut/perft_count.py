"""Perft: counts every sequence of moves to a depth, compiled."""

from __future__ import annotations

import cython

if not cython.compiled:
    from ludus.games.tablut.board import TablutBoard
    from ludus.games.tablut.grid import MAX_MOVES, TAKES_KING
else:
    from cython.cimports.ludus.games.tablut.board import TablutBoard  # type: ignore[no-redef]
    from cython.cimports.ludus.games.tablut.grid import (  # type: ignore[no-redef]
        MAX_MOVES,
        TAKES_KING,
    )


def count_sequences(board: TablutBoard, depth: int) -> int:
    """How many sequences of so many moves there are; nothing follows the end of a bout.

    The limit of plies and repetitions are left out. The board is as before afterwards.
    """
    if depth <= 0:
        return 1
    if board.king_x == 0 or board.king_home():
        return 0
    return sequences(board, depth)


@cython.cfunc
@cython.exceptval(check=False)
def sequences(board: TablutBoard, depth: cython.int) -> cython.ulonglong:
    if depth == 1:
        return board.count(board.side)
    if cython.compiled:
        moves = cython.declare(cython.int[MAX_MOVES])  # type: ignore[misc, valid-type]
    else:
        moves = [0] * MAX_MOVES
    found: cython.int = board.fill(board.side, moves)
    total: cython.ulonglong = 0
    i: cython.int
    taken: cython.int
    for i in range(found):
        taken = board.make(moves[i])
        if not taken & TAKES_KING and not board.king_home():
            total += sequences(board, depth - 1)
        board.unmake(moves[i], taken)
    return total
