# C declarations of search_position.py.

from ludus.games.search_position cimport SearchPosition
from ludus.games.eraser.board cimport Board

cdef class EraserSearchPosition(SearchPosition):
    cdef readonly Board board
    cdef readonly int turn, limit, lead
    cdef readonly bint extra
    cdef unsigned char above[36]

    cdef void settle(self, bint last_chance)
    cdef void look_above(self)
    cdef int turns_left(self) noexcept nogil
