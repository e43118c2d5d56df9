# C declarations of board.py, for the compiled modules that share it.

cdef class Board:
    cdef readonly bytes stock
    cdef unsigned char cell[36]
    cdef unsigned long long mask[8]
    cdef short gone[6]
    cdef readonly int erased
    cdef readonly int steps
    cdef readonly unsigned long long burst

    cpdef Board copy(self)
    cdef void become(self, Board other) noexcept
    cpdef int exchange(self, int one, int other) except -1
    cpdef int swap(self, int one, int other) except -1
    cpdef int erase(self) noexcept
    cpdef int settle(self) noexcept
    cpdef bint holed(self) noexcept
    cpdef bint stuck(self) noexcept
    cdef void look(self) noexcept
    cdef void drop(self) noexcept
    cdef unsigned long long lines(self, int colour) noexcept
    cdef unsigned long long sideways(self) noexcept
    cdef unsigned long long upright(self) noexcept
