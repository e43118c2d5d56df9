# What grid.py says, as C constants and machine instructions.

cdef extern from *:
    int __builtin_ctz(unsigned int) noexcept nogil
    int __builtin_clz(unsigned int) noexcept nogil

cdef enum:
    MARGIN = 2
    LINES = 23
    MAX_MOVES = 2048
    MAX_PIECES = 361
    DEFENDERS = 0
    ATTACKERS = 1
    ONGOING = 0
    KING_CAPTURED = 1
    KING_HOME = 2
    STUCK = 3
    LIMIT = 4
    TAKES_KING = 0x2F0
    WIN = 1000000
    CERTAIN = 999000


cdef inline int lowest(unsigned int bits) noexcept nogil:
    return __builtin_ctz(bits)


cdef inline int highest(unsigned int bits) noexcept nogil:
    return 31 - __builtin_clz(bits)
