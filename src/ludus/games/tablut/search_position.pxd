# C declarations of search_position.py, for the compiled modules that share it.

from ludus.games.search_position cimport SearchPosition
from ludus.games.tablut.board cimport TablutBoard

cdef class TablutSearchPosition(SearchPosition):
    cdef readonly TablutBoard board
    cdef int rule, times, made
    cdef unsigned long long[::1] path

    cdef void settle(self) noexcept nogil
    cdef bint repeats(self) noexcept nogil
    cdef bint parried(self) noexcept nogil
