# C declarations of rules.py, for the compiled modules that share it.

from ludus.games.duel2048.board cimport Chessboard

cdef bint phase_is_closed(Chessboard board, int phase) noexcept

cdef class DuelPosition:
    cdef readonly Chessboard board
    cdef readonly int rounds
    cdef readonly int phase
    cdef readonly object outcome
    cdef readonly object last
    cdef public object on_skip

    cdef void settle(self)
