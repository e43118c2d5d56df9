# C declarations of random_bouts.py.

from ludus.games.tablut.board cimport TablutBoard

cdef class Walker:
    cdef readonly TablutBoard first, board
    cdef unsigned long long state
    cdef int who[361]
    cdef int upto[361]

    cdef int draw(self, int count) noexcept
