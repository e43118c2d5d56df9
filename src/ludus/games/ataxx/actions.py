"""The moves of Ataxx by the numbers of ``AtaxxSearchPosition``."""

from __future__ import annotations

from functools import cache

from ludus.games.ataxx.rules import move_text

FRAME = 8
"""The width of the frame of cells in board.py."""
JUMPS = [
    (down, right)
    for down in range(-2, 3)
    for right in range(-2, 3)
    if max(abs(down), abs(right)) == 2
]
"""Where a piece may jump from, seen from its target."""


@cache
def list_moves(size: int) -> tuple[str, ...]:
    """Target by target, row by row: a piece is added, or jumps there from each cell two steps away.

    Jumps from outside the board are empty texts.
    """
    moves = []
    for row in range(size):
        for column in range(size):
            target = FRAME * row + column
            moves.append(move_text(64 * target + target))
            for down, right in JUMPS:
                inside = 0 <= row + down < size and 0 <= column + right < size
                source = target + FRAME * down + right
                moves.append(move_text(64 * source + target) if inside else "")
    return tuple(moves)
