# C declarations of tree.py, for the compiled modules that share it.

from ludus.games.search_position cimport SearchPosition

cdef struct Node:
    unsigned long long key
    int parent, via, first, count
    float value
    int seat, state, tries

cdef struct Edge:
    int move, action, child, tries
    float prior, total

cdef class Tree:
    cdef readonly SearchPosition ground
    cdef SearchPosition walk
    cdef readonly int nodes, edges, waiting, simulations, asked, depth
    cdef readonly int budget
    cdef bint gumbel, alert
    cdef double explore, unseen, scale, first_visits
    cdef unsigned long long random
    cdef int buffer[2048]
    cdef Node[::1] node
    cdef Edge[::1] edge
    cdef object node_rows, edge_rows
    # one per leaf that waits for an answer
    cdef int[::1] queue
    # of the root, while a Gumbel search runs
    cdef float[::1] luck
    cdef int[::1] since, plan, lanes
    cdef int round, turn, considered
    # transpositions
    cdef int[::1] slots

    cdef int add_node(self, int parent, int via) noexcept nogil
    cdef int descend(self) noexcept nogil
    cdef void sharpen(self) noexcept nogil
    cdef int fate(self, int edge, bint sure) noexcept nogil
    cdef int choose(self, int node) noexcept nogil
    cdef int choose_root(self) noexcept nogil
    cdef bint round_is_over(self) noexcept nogil
    cdef void next_round(self) noexcept nogil
    cdef int choose_improved(self, int node) noexcept nogil
    cdef double mean(self, int node) noexcept nogil
    cdef double mixed_value(self, int node, double *low, double *high, int *most) noexcept nogil
    cdef void open(self, int node) noexcept nogil
    cdef bint recall(self, int node) noexcept nogil
    cdef void remember(self, int node) noexcept nogil
    cdef void back_up(self, int node, double score) noexcept nogil
    cdef void undo(self, int node) noexcept nogil
    cdef bint room(self) noexcept nogil
    cdef int visit(self) noexcept nogil
    cdef void step(self, int most, float[::1] out) noexcept nogil
    cdef void reply(self, int node, float[:, ::1] policy, int row, double value) noexcept nogil
