# C declarations of board.py, for the compiled modules that share it.

from ludus.games.tablut.pieces cimport Pieces

cdef class TablutBoard(Pieces):
    cdef int captures(self, int x, int y, int side, bint king) noexcept nogil
    cdef bint is_wall(self, int x, int y, int side) noexcept nogil
    cdef bint holds_king(self, int x, int y) noexcept nogil
    cdef bint surrounded(self) noexcept nogil
    cdef bint pinched(self, int x, int y, int side) noexcept nogil
    cdef int make(self, int move) noexcept nogil
    cdef void remove(self, int x, int y, int side, int taken) noexcept nogil
    cdef void unmake(self, int move, int taken) noexcept nogil
    cdef bint king_home(self) noexcept nogil
    cdef int ending(self, int moves) noexcept nogil
    cdef int winner(self, int ending) noexcept nogil
    cdef TablutBoard twin(self)
    cdef void become(self, TablutBoard other) noexcept nogil
