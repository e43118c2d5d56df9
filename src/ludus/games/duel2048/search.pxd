# C declarations of search.py.

from ludus.games.duel2048.board cimport Chessboard

cdef class Search:
    cdef object array
    cdef list boards
    cdef int end
    cdef readonly long nodes
    cdef readonly int depth, score
    cdef long look_at, most_nodes
    cdef double deadline
    cdef bint stopped
    cdef int killers[128]
    cdef int moves[1054]
    cdef int marks[1054]
    cdef int worth[14]

    cdef int _search(self, int ply, int phase, int depth, int alpha, int beta) except? -2
    cdef int _skip(self, int ply, int phase, int depth, int alpha, int beta) except? -2
    cdef void _look_at_clock(self)
    cdef bint _make(self, int ply, int phase, int move) noexcept
    cdef int _list(self, int ply, int phase) except -2
    cdef int _list_merges(self, int ply, int phase) noexcept
    cdef int _list_puts(self, int ply, int phase) except -2
    cdef void _sort(self, int start, int count) noexcept
    cdef void _to_front(self, int start, int index) noexcept
    cdef int _final(self, Chessboard board, bint first) except? -2
    cdef int _evaluate(self, Chessboard board) noexcept
    cdef int _worth(self, int level) noexcept
    cdef int _pair(self, Chessboard board, int cell, int near) noexcept
