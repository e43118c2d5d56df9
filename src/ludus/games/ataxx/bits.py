"""Constants of the board and operations on words of 64 bits.

Plain Python reads them here; compiled modules take the same from bits.pxd.
"""

from __future__ import annotations

WIDTH = 8
"""Cells of a row of the frame in which a board of any size lies; also the largest size."""
MOST_MOVES = 2048
"""More than any position has: an empty cell is reached by one piece that splits and 16 jumps."""
MOST_PLIES = 1000
"""The highest limit of moves."""
BLACK, WHITE = 0, 1
NOBODY = -1
GOES_ON, REPEATED, NO_PIECES, STUCK, FULL, LIMIT = range(6)
"""How a bout stands."""


def lowest(bits: int) -> int:
    """The number of the lowest bit that is set; one must be."""
    return (bits & -bits).bit_length() - 1


def count(bits: int) -> int:
    """How many bits are set."""
    return bits.bit_count()
