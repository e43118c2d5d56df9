# C declarations of endgame.py.

from ludus.games.bits cimport count_bits, lowest_bit
from ludus.games.reversi.bitboard cimport legal_cells, turned_cells

cdef int TABLE_BITS, NO_BOUND
cdef long long NO_LIMIT

cdef class EndgameSolver:
    cdef unsigned long long cells
    cdef unsigned long long[::1] keys_own, keys_rival
    cdef signed char[::1] lows, highs, bests
    cdef readonly long long nodes
    cdef long long last_node, next_look
    cdef object enough, failure
    cdef bint stopped

    cdef bint is_enough(self) noexcept
    cdef int value(
        self, unsigned long long own, unsigned long long rival, int alpha, int beta, bint passed
    ) noexcept
    cdef int value_of_few(
        self, unsigned long long own, unsigned long long rival, int alpha, int beta, bint passed
    ) noexcept
    cdef int value_without_moves(
        self, unsigned long long own, unsigned long long rival, int alpha, int beta, bint passed
    ) noexcept
    cdef int value_after(
        self, unsigned long long own, unsigned long long rival, int cell, int alpha, int beta
    ) noexcept
    cdef int order(
        self,
        unsigned long long own,
        unsigned long long rival,
        unsigned long long choices,
        int first,
        int *ordered,
    ) noexcept
    cdef int find(self, unsigned long long own, unsigned long long rival) noexcept
