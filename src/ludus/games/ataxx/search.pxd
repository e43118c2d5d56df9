# C declarations of search.py: they make it fast when compiled, and change nothing else.

from ludus.games.ataxx.board cimport AtaxxBoard

cdef class AtaxxSearch:
    cdef AtaxxBoard board
    cdef unsigned long long[::1] keys
    cdef long long[::1] scores, facts
    cdef long long mask
    cdef object enough
    cdef bint stopped
    cdef readonly int nodes, depth, score

    cdef int after(self, int move, int depth, int alpha, int beta, bint narrow) noexcept
    cdef int value(self, int depth, int alpha, int beta) noexcept
    cdef bint cuts(self, long long slot, int depth, int alpha, int beta) noexcept
    cdef int try_moves(
        self, unsigned long long key, int first, int depth, int alpha, int beta
    ) noexcept
    cdef void remember(
        self, unsigned long long key, int depth, int score, int move, int alpha, int beta
    ) noexcept
    cdef unsigned long long key(self) noexcept
    cdef int final(self) noexcept
    cdef int estimate(self) noexcept
