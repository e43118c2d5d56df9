# C declarations of evaluate.py, for the compiled modules that share it.

from ludus.games.tablut.board cimport Board

cdef int king_term(Board board) noexcept nogil
cdef bint king_escapes(Board board) noexcept nogil
