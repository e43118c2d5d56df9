# C declarations of draw.py.

cdef class Twister:
    cdef unsigned int key[624]
    cdef public int pos

    cdef void turn_over(self) noexcept
    cdef unsigned int next(self) noexcept
    cdef int upto(self, int top) noexcept


cdef class Painter:
    cdef Twister source
    cdef unsigned char block[36]
    cdef unsigned char order[128]
    cdef unsigned char place[128]
    cdef unsigned long long hash[36]
    cdef int size, used

    cdef void shuffle_order(self, int size) noexcept
    cdef bint repaint(self) noexcept
    cdef void clear(self, int size) noexcept
    cdef void add(self, int cell) noexcept
    cdef bint insert(self, int cell) noexcept
