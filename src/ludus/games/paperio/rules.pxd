# C declarations of rules.py, for the compiled modules that share it.

from ludus.games.paperio.field cimport Field

cdef class PaperPosition:
    cdef readonly Field field
    cdef readonly object outcome
    cdef readonly object last
