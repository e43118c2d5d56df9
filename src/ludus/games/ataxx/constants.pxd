# What constants.py says, as C constants.

cdef enum:
    WIDTH = 8
    MAX_MOVES = 2048
    MAX_PLIES = 1000
    BLACK = 0
    WHITE = 1
    NO_WINNER = -1
    ONGOING = 0
    REPEATED = 1
    NO_PIECES = 2
    STUCK = 3
    FULL = 4
    LIMIT = 5
