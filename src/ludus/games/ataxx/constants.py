"""Constants of the board.

Plain Python reads them here; compiled modules take the same from constants.pxd.
"""

from __future__ import annotations

WIDTH = 8
"""Cells of a row of the frame in which a board of any size lies; also the largest size."""
MAX_MOVES = 2048
"""More than any position has: an empty cell is reached by one piece that splits and 16 jumps."""
MAX_PLIES = 1000
"""The highest limit of moves."""
BLACK, WHITE = 0, 1
NO_WINNER = -1
ONGOING, REPEATED, NO_PIECES, STUCK, FULL, LIMIT = range(6)
"""How a bout stands."""
