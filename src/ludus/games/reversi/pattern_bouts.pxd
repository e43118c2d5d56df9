# C declarations of pattern_bouts.py.

from ludus.games.bits cimport count_bits, lowest_bit
from ludus.games.reversi.bitboard cimport legal_cells, turned_cells
from ludus.games.reversi.pattern_search cimport PatternSearch
from ludus.games.search_position cimport below, mixed

cdef class PatternBouts:
    cdef PatternSearch search
    cdef int depth, opening, solved
    cdef double wrong, trust
    cdef unsigned long long state
    cdef unsigned long long[::1] own, rival
    cdef float[::1] value
    cdef unsigned char[::1] same, left

    cdef int play(self, long long at) noexcept
    cdef int choose(
        self, unsigned long long own, unsigned long long rival, unsigned long long choices
    ) noexcept
    cdef int random_choice(self, unsigned long long choices) noexcept
    cdef unsigned long long next_word(self) noexcept
    cdef double chance(self) noexcept
    cdef void look_back(self, long long at, int count) noexcept
