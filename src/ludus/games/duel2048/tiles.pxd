# C declarations of tiles.py, for the compiled modules that share it.

cdef unsigned int FIRST_HOME, SECOND_HOME

cdef class TileBoard:
    cdef readonly object array
    cdef unsigned int first, second, age, moved, merged
    cdef short level[32]
    cdef unsigned int born[32]
    cdef signed char source[32]
    cdef signed char target[32]
    cdef tuple platform_facts
    cdef object animation, strays

    cdef void decide(self, bint first, object decision)
    cdef void put(self, int cell, int value) noexcept
    cdef bint merge(self, bint first, int direction) noexcept
    cdef bint stuck(self, bint first) noexcept
    cdef bint owned_by_first(self, int cell) noexcept
    cdef bint full(self) noexcept
    cdef int spot(self, bint first, object number) except -2
    cdef void _settle(self, int direction) noexcept

cdef void copy_tiles(TileBoard source, TileBoard target) noexcept
