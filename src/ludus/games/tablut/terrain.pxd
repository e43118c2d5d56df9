# C declarations of terrain.py, for the compiled modules that share it.

cdef class Terrain:
    cdef readonly object settings
    cdef readonly str identity
    cdef readonly int size, throne, limit
    cdef int low, high
    cdef int goal_corners, skip_pawn, skip_king
    cdef int throne_attackers, throne_defenders, throne_always, throne_king
    cdef int king_capture, hammer, anvil, between
    cdef int last_ply, limit_winner, stuck_draws
    cdef unsigned int block[46]
    cdef unsigned int hostile[46]
    cdef int has_camps
    cdef unsigned int own_camp[529]
    cdef unsigned long long keys[1587]
    cdef unsigned long long side_key
