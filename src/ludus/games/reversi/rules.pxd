# C declarations of rules.py: they make it fast when compiled, and change nothing else.

cimport cython

cdef int LARGEST, WIDTH, BLACK, WHITE, EMPTY, EDGE
cdef int[8] STEPS

@cython.locals(there=int)
cdef int enclosed(bytearray cells, int seat, int cell, int step) noexcept

@cython.final
cdef class ReversiPosition:
    cdef readonly int size, seat
    cdef readonly bytearray cells
    cdef readonly tuple choices, turned
    cdef readonly str last
    cdef readonly object outcome

    @cython.locals(step=int, distance=int, each=int, turned=list)
    cdef list put(self, int cell)

    @cython.locals(mover=int)
    cdef void pass_to(self, int seat)

    @cython.locals(cells=bytearray, cell=int, step=int, found=list)
    cdef tuple cells_for(self, int seat)

    @cython.locals(twin=ReversiPosition)
    cpdef ReversiPosition copy(self)
