"""Looks some turns ahead: what a seat gains if both sides erase as well as they can.

Both seats know the whole reserve, so nothing is left to chance. At the first turn every swap is
tried, afterwards those that erase something. For house bots; yours may use it too.
"""

from __future__ import annotations

import cython

from ludus.games.eraser.board import NAMES, SWAPS

if not cython.compiled:
    from ludus.games.eraser.board import Board
    from ludus.games.eraser.rules import EraserPosition
else:
    from cython.cimports.ludus.games.eraser.board import Board  # type: ignore[no-redef]
    from cython.cimports.ludus.games.eraser.rules import (  # type: ignore[no-redef]
        EraserPosition,
    )

WON = cython.declare(cython.int, 1_000_000)
"""Worth more than any points: the bout is over with a lead."""
BOUND = cython.declare(cython.int, 10_000_000)


def values(position: EraserPosition, depth: int) -> dict[str, int]:
    """Each legal move with the lead that it leads to, ``depth`` turns from now.

    A lead with which the bout is over counts a million more, a deficit a million less.
    """
    if not 1 <= depth <= 20:
        raise ValueError(f"the depth must be between 1 and 20 turns, got {depth}")
    board: Board = position.board
    seat = position.turn & 1
    lead = position.points[seat] - position.points[1 - seat]
    left = position.limit - position.turn
    closing = board.holed()
    found = {}
    for name, (one, other) in zip(NAMES, SWAPS, strict=True):
        after: Board = board.copy()
        gained = after.exchange(one, other)
        found[name] = -follow(
            after, depth - 1, -lead - gained, left - 1, closing, position.extra, -BOUND, BOUND
        )
    return found


def best(position: EraserPosition, depth: int) -> str:
    """The first of the best moves."""
    found = values(position, depth)
    return max(found, key=found.__getitem__)


@cython.cfunc
@cython.exceptval(check=False)
def over(board: Board, left: cython.int, closing: cython.bint, extra: cython.bint) -> cython.bint:
    """Whether the bout ends before the next turn on this board."""
    if closing or left <= 0 or (board.holed() and not extra):
        return True
    return board.stuck()


@cython.cfunc
def follow(
    board: Board,
    depth: cython.int,
    lead: cython.int,
    left: cython.int,
    closing: cython.bint,
    extra: cython.bint,
    low: cython.int,
    high: cython.int,
) -> cython.int:
    """The lead of the seat to move when both go on; exact between ``low`` and ``high``.

    ``closing``: the turn that led here was the last, whatever the board looks like now.
    """
    if over(board, left, closing, extra):
        return lead + (WON if lead > 0 else -WON if lead < 0 else 0)
    if depth == 0:
        return lead
    top: cython.int = -BOUND
    holed: cython.bint = board.holed()
    for number in board.operations():
        cells = SWAPS[number]
        after: Board = board.copy()
        gained: cython.int = after.exchange(cells[0], cells[1])
        found: cython.int = -follow(
            after, depth - 1, -lead - gained, left - 1, holed, extra, -high, -max(low, top)
        )
        if found > top:
            top = found
            if top >= high:
                break
    return top
