"""Constants of the board and the positions of single bits.

Plain Python reads them here; compiled modules take the same from grid.pxd.
"""

from __future__ import annotations

MARGIN = 2
"""What a coordinate is more than the number of its column or row."""
LINES = 23
"""Coordinates there are: 19 and the margins."""
MAX_PIECES = 361
"""One on every cell."""
MAX_MOVES = 2048
"""More than any position has: an empty cell is reached from four sides at most."""
DEFENDERS, ATTACKERS = 0, 1
ONGOING, KING_CAPTURED, KING_HOME, STUCK, LIMIT = range(5)
"""How a bout stands."""
TAKES_KING = 0x2F0
"""The bits of what a move took that stand for the king."""
WIN = 1_000_000
"""The score of a won bout …"""
CERTAIN = 999_000
"""… and the least that stands for a win some plies ahead."""


def lowest(bits: int) -> int:
    """The number of the lowest bit that is set; one must be."""
    return (bits & -bits).bit_length() - 1


def highest(bits: int) -> int:
    """The number of the highest bit that is set; one must be."""
    return bits.bit_length() - 1
