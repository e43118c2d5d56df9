# C declarations of pieces.py, for the compiled modules that share it.

from ludus.games.tablut.terrain cimport Terrain

cdef class Pieces:
    cdef readonly Terrain terrain
    cdef readonly int side, ply
    cdef int king_x, king_y
    cdef unsigned long long key
    cdef unsigned int rows[46]
    cdef unsigned int columns[23]

    cdef int king_reach(self) noexcept nogil
    cdef int king_slides(self) noexcept nogil
    cdef int count(self, int side) noexcept nogil
    cdef bint stuck(self, int side) noexcept nogil
    cdef int fill(self, int side, int *moves) noexcept nogil
    cdef int tally(self, int side, int *who, int *upto) noexcept nogil
    cdef int nth(self, int piece, int number) noexcept nogil
    cdef void flip(self, int x, int y, int side, int kind) noexcept nogil
