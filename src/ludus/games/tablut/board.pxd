# C declarations of board.py, for the compiled modules that share it.

from ludus.games.tablut.pieces cimport Pieces

cdef class Board(Pieces):
    cdef int captures(self, int x, int y, int side, bint king) noexcept
    cdef bint is_wall(self, int x, int y, int side) noexcept
    cdef bint holds_king(self, int x, int y) noexcept
    cdef bint surrounded(self) noexcept
    cdef bint pinched(self, int x, int y, int side) noexcept
    cdef int make(self, int move) noexcept
    cdef void remove(self, int x, int y, int side, int taken) noexcept
    cdef void unmake(self, int move, int taken) noexcept
    cdef bint king_home(self) noexcept
    cdef int ending(self, int moves) noexcept
    cdef int winner(self, int ending) noexcept
    cdef Board twin(self)
