"""PUCT: which move of a node a search follows, compiled.

The rule of AlphaGo Zero: the mean value of a move plus a bonus, which is large for moves that the
network finds likely and shrinks as the move is tried,

    value(move) + explore · prior(move) · sqrt(tries of the node) / (1 + tries of the move).
"""

from __future__ import annotations

import math

import cython

if not cython.compiled:
    from ludus.learn.tree_known_results import is_refuted
    from ludus.learn.tree_storage import TreeStorage

    sqrt, INFINITY = math.sqrt, math.inf
else:
    from cython.cimports.libc.math import INFINITY, sqrt  # type: ignore[no-redef]
    from cython.cimports.ludus.learn.tree_known_results import is_refuted  # type: ignore[no-redef]
    from cython.cimports.ludus.learn.tree_storage import TreeStorage  # type: ignore[no-redef]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def choose_puct(
    tree: TreeStorage, node: cython.int, explore: cython.double, unseen: cython.double
) -> cython.int:
    """The edge to follow from a node that has its moves.

    A move that was never tried has the value 0; if ``unseen`` is not 0, it counts as that much
    worse than the node.
    """
    first: cython.int = tree.node[node].first
    edge: cython.int
    best: cython.int = first
    top: cython.float = -INFINITY
    value: cython.float
    tries: cython.float
    untried: cython.float = 0.0
    if unseen != 0.0:
        untried = mean_value(tree, node) - unseen
    reach: cython.float = explore * sqrt(tree.node[node].tries + 1e-8)
    for edge in range(first, first + tree.node[node].count):
        if tree.exact and is_refuted(tree, edge):
            continue
        tries = tree.edge[edge].tries
        value = reach * tree.edge[edge].prior
        if tries > 0:
            value = value / (1 + tries) + tree.edge[edge].total / tries
        else:
            value += untried
        if value > top:
            top, best = value, edge
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def mean_value(tree: TreeStorage, node: cython.int) -> cython.double:
    """The mean of the values that came back through the edges of a node."""
    edge: cython.int
    total: cython.double = 0.0
    for edge in range(tree.node[node].first, tree.node[node].first + tree.node[node].count):
        total += tree.edge[edge].total
    total /= max(1, tree.node[node].tries)
    return total
