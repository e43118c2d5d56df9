# C declarations of pattern_bouts.py.

from ludus.games.duel2048.pattern_search cimport DuelPatternSearch
from ludus.games.search_position cimport below, mixed

cdef class DuelPatternBouts:
    cdef DuelPatternSearch search
    cdef double wrong, trust
    cdef unsigned long long state
    cdef unsigned char[::1] boards, left
    cdef float[::1] value, lead

    cdef int play(self, long long at, int rounds) except -2
    cdef void sample(self, long long place, int left) noexcept
    cdef int choose(self, int phase, long long place) except -2
    cdef void go_on(self, int phase, int move) noexcept
    cdef void look_back(self, long long at, int count) noexcept
    cdef unsigned long long next_word(self) noexcept
    cdef double chance(self) noexcept

cdef class DuelPatternFit:
    cdef float[::1] weights, squares
    cdef DuelPatternSearch reader

    cdef void read(self, unsigned char *board) noexcept
    cdef double expect(self) noexcept
    cdef void learn(self, float error, float rate) noexcept
