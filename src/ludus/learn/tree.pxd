# C declarations of tree.py, for the compiled modules that share it.

from ludus.learn.tree_gumbel cimport SequentialHalving
from ludus.learn.tree_storage cimport TreeStorage

cdef class Tree(TreeStorage):
    cdef readonly int waiting, simulations, asked, depth
    cdef readonly int budget
    cdef bint gumbel, alert
    # asks for the result of a leaf, and what it raised
    cdef public object prove
    cdef object failure
    cdef double explore, unseen
    cdef unsigned long long random
    # one per leaf that waits for an answer
    cdef int[::1] queue
    # the moves of the root, while a Gumbel search runs
    cdef SequentialHalving halving

    cdef int visit(self) noexcept nogil
    cdef void find_result(self, int node) noexcept nogil
    cdef void ask_prover(self, int node) noexcept
    cdef void step(self, int most, float[::1] out) noexcept nogil
    cdef int descend(self) noexcept nogil
    cdef void reply(self, int node, float[:, ::1] policy, int row, double value) noexcept nogil
    cdef void back_up(self, int node, double score) noexcept nogil
    cdef void undo(self, int node) noexcept nogil
