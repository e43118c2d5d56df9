# C declarations of frames.py, for the compiled modules that share it.

from ludus.games.paperio.field cimport Field

cdef class OriginalFrames:
    cdef readonly Field field
    cdef readonly tuple fields, bands
    cdef dict columns
    cdef list land_columns, band_columns

    cpdef void develop(self)
    cpdef object turns_left(self)
    cpdef object player(self, int seat)
