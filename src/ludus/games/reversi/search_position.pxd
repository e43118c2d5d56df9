# C declarations of search_position.py, for the compiled modules that share it.

from ludus.games.search_position cimport SearchPosition
from ludus.games.reversi.rules cimport ReversiPosition

cdef class ReversiSearchPosition(SearchPosition):
    cdef readonly ReversiPosition position

    cdef void settle(self) noexcept
