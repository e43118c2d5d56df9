# C declarations of tree_known_results.py, for the compiled modules that share it.

from ludus.learn.tree_storage cimport TreeStorage

cdef void restrict_root(TreeStorage tree) noexcept nogil
