# C declarations of tree_puct.py, for the compiled modules that share it.

from ludus.learn.tree_storage cimport TreeStorage

cdef int choose_puct(TreeStorage tree, int node, double explore, double unseen) noexcept nogil
