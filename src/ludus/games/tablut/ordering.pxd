# C declarations of ordering.py, for the compiled modules that share it.

from ludus.games.tablut.board cimport TablutBoard

cdef class Ordering:
    cdef int killers[128]
    cdef int history[32768]

    cdef void fade(self) noexcept
    cdef void rank(self, TablutBoard board, int *moves, int *ranks, int found, int first, int height) noexcept
    cdef void praise(self, int side, int move, int depth, int height) noexcept
    cdef int bring_best(self, int *moves, int *ranks, int start, int end) noexcept
