# C declarations of search_position.py, for the compiled modules that share it.

from ludus.games.search_position cimport SearchPosition
from ludus.games.ataxx.board cimport AtaxxBoard

cdef class AtaxxSearchPosition(SearchPosition):
    cdef readonly AtaxxBoard board

    cdef void settle(self) noexcept nogil
