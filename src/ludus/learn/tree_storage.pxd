# C declarations of tree_storage.py, for the compiled modules that share it.

from ludus.games.search_position cimport SearchPosition

# States of a node, explained in tree_storage.py.
cdef enum:
    LEAF = 0
    WAITING = 1
    OPEN = 2
    ENDED = 3
    SEEN = 4

cdef enum:
    MAX_MOVES = 2048

cdef struct Node:
    unsigned long long key
    int parent, via, first, count
    float value
    int seat, state, tries

cdef struct Edge:
    int move, action, child, tries
    float prior, total

cdef class TreeStorage:
    cdef readonly SearchPosition position
    cdef SearchPosition walk
    cdef readonly int nodes, edges
    cdef Node[::1] node
    cdef Edge[::1] edge
    cdef object node_rows, edge_rows
    cdef int buffer[2048]
    # whether results that are known are reasoned with; see tree.py
    cdef bint exact
    # transpositions: a hash table of opened nodes
    cdef int[::1] slots

    cdef bint has_room(self) noexcept nogil
    cdef int add_node(self, int parent, int via) noexcept nogil
    cdef void open(self, int node) noexcept nogil
    cdef bint recall(self, int node) noexcept nogil
    cdef void remember(self, int node) noexcept nogil
