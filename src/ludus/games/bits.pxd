# What bits.py says, as machine instructions.

cdef extern from *:
    int count_bits "__builtin_popcountll" (unsigned long long bits) noexcept nogil
    int lowest_bit "__builtin_ctzll" (unsigned long long bits) noexcept nogil
    int leading_zeros "__builtin_clzll" (unsigned long long bits) noexcept nogil
