# C declarations of search_position.py.

from ludus.games.search_position cimport SearchPosition
from ludus.games.duel2048.board cimport Chessboard

cdef class DuelSearchPosition(SearchPosition):
    cdef readonly Chessboard board
    cdef Chessboard tried
    cdef readonly int phase, end
    cdef readonly int own_cell, rival_cell

    cdef void settle(self)
    cdef int cell_for(self, bint first) noexcept
