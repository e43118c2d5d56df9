# C declarations of rules.py, for the compiled modules that share it.

from ludus.games.ataxx.board cimport AtaxxBoard

cdef class AtaxxPosition:
    cdef readonly AtaxxBoard board
    cdef readonly str last
    cdef readonly object outcome
