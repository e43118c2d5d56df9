# C declarations of search.py: they make it fast when compiled, and change nothing else.

cimport cython

from ludus.games.reversi.rules cimport ReversiPosition

cdef int WIDTH, EMPTY, WON, INFINITY, MOBILITY, SAFE, LOOK_EVERY

cdef class ReversiSearch:
    cdef int[196] worth
    cdef int[4] corners, across, along
    cdef list known
    cdef object enough, solver
    cdef readonly int nodes, depth, score

    @cython.locals(child=ReversiPosition)
    cdef int after(
        self, ReversiPosition position, int cell, int depth, int alpha, int beta
    ) except? -1

    cdef int value(self, ReversiPosition position, int depth, int alpha, int beta) except? -1

    @cython.locals(
        table=dict, key=bytes, deep=int, low=int, high=int, first=int, best=int, cell=int
    )
    cdef int recall(self, ReversiPosition position, int depth, int alpha, int beta) except? -1

    @cython.locals(best=int, best_cell=int, cell=int, value=int)
    cdef (int, int) try_moves(
        self, ReversiPosition position, object cells, int depth, int alpha, int beta
    ) except *

    @cython.locals(child=ReversiPosition, cell=int, answers=int, rank=int, ranked=list)
    cdef list promising_first(self, ReversiPosition position, int first)

    @cython.locals(seat=int, total=int)
    cdef int estimate(self, ReversiPosition position) except? -1

    @cython.locals(total=int, cell=int, number=int, owner=int, safe=int)
    cdef int balance(self, bytearray cells, int size, int seat) noexcept

    @cython.locals(
        corner=int, across=int, along=int, owner=int, total=int, step=int, there=int
    )
    cdef int safe(self, bytearray cells, int number) noexcept

cdef int final(ReversiPosition position) except? -1

cdef int worth_of_lead(int lead) noexcept
