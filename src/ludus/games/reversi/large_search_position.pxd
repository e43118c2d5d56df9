# C declarations of large_search_position.py, for the compiled modules that share it.

from ludus.games.search_position cimport SearchPosition
from ludus.games.reversi.rules cimport ReversiPosition

cdef class LargeReversiSearchPosition(SearchPosition):
    cdef readonly ReversiPosition position

    cdef void settle(self) noexcept
