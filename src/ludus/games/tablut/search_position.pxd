# C declarations of ground.py, for the compiled modules that share it.

from ludus.games.search_position cimport Ground
from ludus.games.tablut.board cimport Board

cdef class TablutGround(Ground):
    cdef readonly Board board
    cdef int rule, made
    cdef unsigned long long[::1] path

    cdef void settle(self) noexcept nogil
    cdef bint repeats(self) noexcept nogil
    cdef bint parried(self) noexcept nogil
