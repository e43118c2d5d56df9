# C declarations of pattern_search.py.

from ludus.games.bits cimport count_bits, lowest_bit
from ludus.games.reversi.bitboard cimport legal_cells, turned_cells
from ludus.games.reversi.endgame cimport EndgameSolver

cdef int WORDS, VIEWS, UNIT, PHASE_DISCS, INFINITY, EXACT, TABLE_BITS, ENTRY
cdef int LOOK_EVERY, HANDOVER, JUMP, MAX_EXACT, FRAME, FIRST_CUT, LAST_CUT
cdef int ZERO, NONE, MAX_PLIES, MAX_MOVES
cdef unsigned long long CELLS, CORNERS, HASH_OWN, HASH_RIVAL

cdef class PatternSearch:
    cdef short[::1] weights_held
    cdef int[::1] offsets_held
    cdef unsigned long long[::1] places_held, stack_held, table_held
    cdef short *weights
    cdef unsigned long long *places
    cdef int *offsets
    cdef unsigned long long *stack
    cdef unsigned long long *table
    cdef int phase_size, discs_offset
    cdef EndgameSolver solver
    cdef readonly long long nodes
    cdef readonly int depth, score
    cdef public double cut_width
    cdef object enough, failure
    cdef bint stopped
    cdef long long last_node, next_look

    cdef void set_root(self, unsigned long long own, unsigned long long rival) noexcept
    cdef int estimate(self, unsigned long long *words, int discs) noexcept
    cdef int estimate_at(self, int ply, int discs) noexcept
    cdef int estimate_after(
        self, int ply, unsigned long long turned, int cell, int discs
    ) noexcept
    cdef void turn_words(self, int ply, unsigned long long turned, int cell) noexcept
    cdef void swap_words(self, int ply) noexcept
    cdef bint is_over(self) noexcept
    cdef int value(
        self,
        int ply,
        unsigned long long own,
        unsigned long long rival,
        int depth,
        int alpha,
        int beta,
        bint passed,
    ) noexcept
    cdef int value_after(
        self,
        int ply,
        unsigned long long own,
        unsigned long long rival,
        int cell,
        int depth,
        int alpha,
        int beta,
    ) noexcept
    cdef int best_move(
        self,
        int ply,
        unsigned long long own,
        unsigned long long rival,
        unsigned long long choices,
        int depth,
        int alpha,
        int beta,
        unsigned long long known,
    ) noexcept
    cdef void remember(
        self,
        unsigned long long own,
        unsigned long long rival,
        int depth,
        int low,
        int high,
        int first,
        int second,
    ) noexcept
    cdef int best_leaf(
        self,
        int ply,
        unsigned long long own,
        unsigned long long rival,
        unsigned long long choices,
        int alpha,
        int beta,
    ) noexcept
    cdef int value_without_moves(
        self,
        int ply,
        unsigned long long own,
        unsigned long long rival,
        int depth,
        int alpha,
        int beta,
        bint passed,
    ) noexcept
    cdef int solved(
        self, unsigned long long own, unsigned long long rival, int alpha, int beta
    ) noexcept
    cdef int cut(
        self,
        int ply,
        unsigned long long own,
        unsigned long long rival,
        int depth,
        int alpha,
        int beta,
    ) noexcept
    cdef int order(
        self,
        int ply,
        unsigned long long own,
        unsigned long long rival,
        unsigned long long choices,
        int depth,
        int first,
        int second,
        int *ordered,
    ) noexcept
    cdef long long find(self, unsigned long long own, unsigned long long rival) noexcept
