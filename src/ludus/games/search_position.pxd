# C declarations of search_position.py, for the compiled modules that share it.

cdef unsigned long long mixed(unsigned long long state) noexcept nogil
cdef int below(unsigned long long word, int count) noexcept nogil

cdef class SearchPosition:
    cdef readonly int seat
    cdef readonly bint over
    # the rules failed, which Python code has to be told: see search_position.py
    cdef readonly bint failed
    cdef readonly double score
    cdef readonly int planes, cells, actions

    cdef int fill(self, int *moves) noexcept nogil
    cdef void make(self, int move) noexcept nogil
    cdef void become(self, SearchPosition other) noexcept nogil
    cdef int action(self, int move) noexcept nogil
    cdef void encode(self, float[::1] out, Py_ssize_t at) noexcept nogil
    cdef unsigned long long key(self) noexcept nogil
    cdef bint wins(self) noexcept nogil
    cdef int foreseen(self) noexcept nogil
    cdef double rollout(self, unsigned long long seed) noexcept nogil

cdef class TextSearchPosition(SearchPosition):
    cdef readonly object position
    cdef object texts, game, failure

    cdef void advance(self, int move) noexcept
    cdef void take_over(self, object position) noexcept
    cdef unsigned long long read_digest(self) noexcept
    cdef void fail(self, object failure) noexcept
