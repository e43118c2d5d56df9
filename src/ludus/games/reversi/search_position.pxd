# C declarations of search_position.py, for the compiled modules that share it.

from ludus.games.search_position cimport SearchPosition

cdef class ReversiSearchPosition(SearchPosition):
    cdef unsigned long long own, rival, board
    cdef unsigned long long choices
    cdef readonly int size

    cdef void settle(self) noexcept nogil
