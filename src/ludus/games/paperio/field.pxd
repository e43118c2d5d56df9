# C declarations of field.py, for the compiled modules that share it.

cdef class Field:
    cdef readonly int width, height, turns, steps
    cdef readonly int end, winner, mover
    cdef readonly bytearray land, bands, before
    cdef readonly tuple trails
    cdef int xs[2]
    cdef int ys[2]
    cdef int headings[2]
    cdef int counts[2]
    cdef int boxes[8]
    cdef bint tidy
    cdef public int land_low, land_high, band_low, band_high

    cdef void place(self, int seat, int x, int y, int heading, int expand)
    cpdef Field copy(self)
    cpdef void step(self, int turn)
    cdef void meet(self, int seat, int cell)
    cdef void settle(self, int seat, int cell)
    cdef void lay(self, int seat, int cell)
    cdef void close(self, int seat, bint thorough)
    cdef int convert(self, int seat)
    cdef void fill(self, int seat, bytearray marks, bint thorough)
    cdef int flood(self, int seat, int seed, int base, bytearray marks)
    cdef void claim(self, int seat, int cell) noexcept
    cdef void finish(self, int end, int winner) noexcept
    cdef void decide(self, int end) noexcept
