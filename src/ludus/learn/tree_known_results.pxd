# C declarations of tree_known_results.py, for the compiled modules that share it.

from ludus.learn.tree_storage cimport TreeStorage

cdef void restrict_root(TreeStorage tree) noexcept nogil
cdef void conclude(TreeStorage tree, int node) noexcept nogil
cdef bint is_settled(TreeStorage tree, int node) noexcept nogil
cdef double best_gain(TreeStorage tree, int node) noexcept nogil
cdef void forget(TreeStorage tree, int edge, int node) noexcept nogil
cdef int winning_edge(TreeStorage tree, int node) noexcept nogil
cdef bint is_refuted(TreeStorage tree, int edge) noexcept nogil
cdef double known_gain(TreeStorage tree, int edge) noexcept nogil
