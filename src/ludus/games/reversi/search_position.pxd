# C declarations of search_position.py, for the compiled modules that share it.

from ludus.games.search_position cimport SearchPosition

cdef class ReversiSearchPosition(SearchPosition):
    cdef readonly unsigned long long own, rival
    cdef unsigned long long board, choices
    cdef readonly int size

    cdef void settle(self) noexcept nogil
