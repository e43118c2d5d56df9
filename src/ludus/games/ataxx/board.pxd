# C declarations of board.py, for the compiled modules that share it.

cdef unsigned long long grow(unsigned long long cells) noexcept nogil
cdef unsigned long long mix(unsigned long long word) noexcept nogil

cdef class AtaxxBoard:
    cdef readonly int size, side, limit, ply, ending, winner
    cdef int since
    cdef unsigned long long whole, placed, turned
    cdef unsigned long long pieces[2]
    cdef unsigned long long path[1001]

    cdef unsigned long long key(self) noexcept nogil
    cdef bint can_move(self, int seat) noexcept nogil
    cdef int fill(self, int *moves) noexcept nogil
    cdef void make(self, int move) noexcept nogil
    cdef void restore(
        self,
        unsigned long long black,
        unsigned long long white,
        unsigned long long placed,
        int since,
    ) noexcept nogil
    cdef bint repeats(self) noexcept nogil
    cdef void settle(self) noexcept nogil
    cdef int total(self, int seat) noexcept nogil
    cdef void become(self, AtaxxBoard other) noexcept nogil
    cpdef long long sequences(self, int depth)
