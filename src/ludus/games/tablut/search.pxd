# C declarations of search.py, for the compiled modules that share it.

from ludus.games.tablut.board cimport TablutBoard
from ludus.games.tablut.ordering cimport Ordering

cdef class Searcher:
    cdef TablutBoard board
    cdef Ordering order
    cdef object terrain, seen
    cdef unsigned long long[::1] keys
    cdef unsigned long long[::1] entries
    cdef unsigned long long mask
    cdef long long nodes
    cdef int material, loser, times, ties
    cdef bint stopped
    cdef double wall, cpu, seconds
    cdef unsigned long long path[128]

    cdef int make(self, int move) noexcept
    cdef void unmake(self, int move, int taken) noexcept
    cdef int verdict(self, int ending, int height) noexcept
    cdef int leaf(self, int height) noexcept
    cdef int negamax(self, int depth, int alpha, int beta, int height) except? -9
    cdef int best_of(self, int first, int depth, int alpha, int beta, int height) except? -9
    cdef int child(self, int move, int depth, int alpha, int beta, int height, bint pv) except? -9
    cdef bint repeats(self, int height) except? -1
    cdef unsigned long long key_at(self, int depth) noexcept
    cdef void store(self, unsigned long long key, int depth, int height, int score, int move, int bound) noexcept
    cdef bint out_of_time(self) except? -1
