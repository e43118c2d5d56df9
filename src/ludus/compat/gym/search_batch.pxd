# C declarations of search_batch.py.

from ludus.games.search_position cimport SearchPosition

cdef class SearchBatch:
    cdef readonly int count, actions, width
    cdef int planes, cells
    cdef list positions
    cdef unsigned long long random
    # what the caller reads
    cdef readonly object mask_rows, observation_rows, seat_rows, reward_rows, done_rows
    cdef signed char[::1] masks
    cdef float[::1] observations
    cdef signed char[::1] seats
    cdef float[::1] rewards
    cdef unsigned char[::1] done
    # the legal moves of each bout, and their actions
    cdef int[::1] moves
    cdef int[::1] numbers
    cdef int[::1] found
    cdef int[::1] chosen

    cdef void look(self, int bout)
