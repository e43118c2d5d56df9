# C declarations of bitboard.py, for the compiled modules that share it.

cdef unsigned long long INNER

cdef unsigned long long legal_cells(
    unsigned long long own, unsigned long long rival, unsigned long long cells
) noexcept nogil
cdef unsigned long long turned_cells(
    unsigned long long own, unsigned long long rival, unsigned long long disc
) noexcept nogil
