# C declarations of rules.py, for the compiled modules that share it.

from ludus.games.tablut.board cimport TablutBoard

cdef class TablutPosition:
    cdef readonly TablutBoard board
    cdef readonly object outcome
    cdef readonly object last
    cdef readonly tuple captured
    cdef readonly object seen
