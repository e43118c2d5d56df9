# C declarations of tree_gumbel.py, for the compiled modules that share it.

from ludus.learn.tree_storage cimport TreeStorage

cdef class SequentialHalving:
    # one number per move of the root: Gumbel noise, tries in this search, moves best first
    cdef readonly float[::1] noise
    cdef readonly int[::1] tries
    cdef int[::1] order
    # how many moves each round tries
    cdef int[::1] sizes
    # the first `ready` moves of the order are tried in this round
    cdef int round, turn, considered, ready

    cdef int choose(self, TreeStorage tree) noexcept nogil
    cdef bint round_is_over(self) noexcept nogil
    cdef void start_round(self, TreeStorage tree) noexcept nogil
    cdef int rank(self, TreeStorage tree, int wanted) noexcept nogil
    cdef void undo(self, int move) noexcept nogil

cdef int choose_improved(TreeStorage tree, int node) noexcept nogil
cdef (double, double, double, int) value_range(TreeStorage tree, int node) noexcept nogil
