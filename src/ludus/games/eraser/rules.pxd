# C declarations of rules.py, for the compiled modules that share it.

from ludus.games.eraser.board cimport Board

cdef class EraserPosition:
    cdef readonly Board board
    cdef readonly Board before
    cdef readonly int limit
    cdef readonly bint extra
    cdef readonly int turn
    cdef int score[2]
    cdef int combo[2]
    cdef int highest[2]
    cdef readonly str ending
    cdef readonly object outcome
    cdef readonly object last

    cdef object judge(self, bint last_chance)
    cdef object conclude(self, str ending)
