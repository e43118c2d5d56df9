"""What a position is worth, compiled: the house bots' one evaluation.

In its own unit: −1.5 for each step from the king to his nearest goal, +0.2 for each cell he can
move to, +0.05 for each defender and −0.05 for each attacker; the attackers see the same with the
sign turned. Here everything is in twentieths of that, so that it stays whole.
"""

from __future__ import annotations

import cython

from ludus.games.tablut.notation import move_text
from ludus.games.tablut.rules import TablutPosition

if not cython.compiled:
    from ludus.games.tablut.board import TablutBoard
    from ludus.games.tablut.grid import ATTACKERS, DEFENDERS, ONGOING, WIN
else:
    from cython.cimports.ludus.games.tablut.board import TablutBoard  # type: ignore[no-redef]
    from cython.cimports.ludus.games.tablut.grid import (  # type: ignore[no-redef]
        ATTACKERS,
        DEFENDERS,
        ONGOING,
        WIN,
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def king_term(board: TablutBoard) -> cython.int:
    """The king's part of the evaluation, for the defenders."""
    across: cython.int = min(board.king_x - board.terrain.low, board.terrain.high - board.king_x)
    along: cython.int = min(board.king_y - board.terrain.low, board.terrain.high - board.king_y)
    steps: cython.int = across + along if board.terrain.goal_corners else min(across, along)
    return 4 * board.king_reach() - 30 * steps


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def king_escapes(board: TablutBoard) -> cython.bint:
    """Whether the king can reach his goal in one move."""
    x: cython.int = board.king_x
    y: cython.int = board.king_y
    spans: cython.int = board.king_slides()
    across: cython.bint = x - ((spans >> 5) & 31) == board.terrain.low or (
        x + ((spans >> 10) & 31) == board.terrain.high
    )
    along: cython.bint = (
        y - (spans & 31) == board.terrain.low or y + (spans >> 15) == board.terrain.high
    )
    if not board.terrain.goal_corners:
        return across or along
    on_side: cython.bint = x == board.terrain.low or x == board.terrain.high
    on_end: cython.bint = y == board.terrain.low or y == board.terrain.high
    return (on_end and across) or (on_side and along)


def worth(board: TablutBoard) -> int:
    """The evaluation for the defenders; the king must be on the board."""
    return king_term(board) + board.pieces(DEFENDERS) - board.pieces(ATTACKERS)


def rate_moves(position: TablutPosition) -> list[tuple[str, int]]:
    """Every legal move with the value of what follows, for the side that moves.

    The end of the bout counts ``WIN``, 0 or ``-WIN``.
    """
    board: TablutBoard = position.board.copy()
    side: cython.int = board.side
    found = []
    for source, target in board.moves():
        taken = board.play(source, target)
        ending, winner = board.status()
        if ending == ONGOING:
            score = worth(board) if side == DEFENDERS else -worth(board)
        else:
            score = 0 if winner < 0 else WIN if winner == side else -WIN
        found.append((move_text(source, target, board.terrain.size), score))
        board.undo(source, target, taken)
    return found
