# C declarations of evaluate.py, for the compiled modules that share it.

from ludus.games.tablut.board cimport TablutBoard

cdef int king_term(TablutBoard board) noexcept nogil
cdef bint king_escapes(TablutBoard board) noexcept nogil
