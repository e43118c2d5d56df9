# What bits.py says, as C constants and machine instructions.

cdef extern from *:
    int __builtin_ctzll(unsigned long long) noexcept nogil
    int __builtin_popcountll(unsigned long long) noexcept nogil

cdef enum:
    WIDTH = 8
    MOST_MOVES = 2048
    MOST_PLIES = 1000
    BLACK = 0
    WHITE = 1
    NOBODY = -1
    GOES_ON = 0
    REPEATED = 1
    NO_PIECES = 2
    STUCK = 3
    FULL = 4
    LIMIT = 5


cdef inline int lowest(unsigned long long bits) noexcept nogil:
    return __builtin_ctzll(bits)


cdef inline int count(unsigned long long bits) noexcept nogil:
    return __builtin_popcountll(bits)
