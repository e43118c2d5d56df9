# C declarations of pattern_search.py.

from ludus.games.bits cimport count_bits, leading_zeros, lowest_bit

cdef class DuelPatternSearch:
    cdef short[::1] weights_held
    cdef int[::1] pairs_held, lines_held, mirrored_held
    cdef unsigned long long[::1] words_held, table_held
    cdef short *weights
    cdef int *pairs
    cdef int *lines
    cdef int *mirrored
    cdef unsigned long long *words
    cdef unsigned long long *table
    cdef int pair_size, line_size, set_size
    cdef int[::1] numbers
    cdef int end
    cdef readonly long long nodes
    cdef readonly int depth, score
    cdef long long look_at, most_nodes
    cdef double deadline
    cdef bint stopped
    cdef unsigned int first[64]
    cdef unsigned int second[64]
    cdef unsigned long long keys[64]
    cdef unsigned char levels[2048]
    cdef int digits[64]
    cdef int ahead[36]
    cdef int places[160]
    cdef int place_count, minus_at, level_place
    cdef int moves[1088]
    cdef int marks[1088]
    cdef int killers[64]

    cdef void begin(self, object numbers)
    cdef void clear(self) noexcept
    cdef void set_cell(self, int cell, int level, bint mine) noexcept
    cdef int best_to(self, int phase, int depth) except -2
    cdef void deepen(self, int phase, int depth, int count)
    cdef int value_after(self, int ply, int phase, int depth, int alpha, int beta, int less) except? -2
    cdef int value(self, int ply, int phase, int depth, int alpha, int beta) except? -2
    cdef int value_of_moves(self, int ply, int phase, int depth, int alpha, int beta) except? -2
    cdef int value_of_skip(self, int ply, int phase, int depth, int alpha, int beta) except? -2
    cdef void remember(
        self, unsigned long long key, int depth, int best, int bound, int move
    ) noexcept
    cdef void look_at_clock(self)
    cdef void copy_board(self, int source, int target) noexcept
    cdef bint make(self, int ply, int phase, int move) noexcept
    cdef void put(self, int ply, int cell) noexcept
    cdef bint merge(self, int ply, bint first, int heading) noexcept
    cdef int spot(self, int ply, bint first, int round) noexcept
    cdef bint is_dead(self, int ply) noexcept
    cdef int list_moves(self, int ply, int phase, int known) noexcept
    cdef int list_merges(self, int ply, int phase) noexcept
    cdef int list_puts(self, int ply, int phase) noexcept
    cdef void find_front(self, int start, int count, int move) noexcept
    cdef void to_front(self, int start, int index) noexcept
    cdef int nuisance(self, int ply, int cell) noexcept
    cdef int leader(self, int ply) noexcept
    cdef int final(self, int ply, bint first) noexcept
    cdef int stage(self, int phase) noexcept
    cdef int read_board(self, int ply, int phase) noexcept
    cdef void find_places(self, int ply, int phase) noexcept
    cdef int estimate(self, int ply, int phase) noexcept
