"""Moves of the root whose result is already known, compiled.

A network may find a move likely that loses at once, and with few simulations a search may not
notice. Games that can foresee an end (``SearchPosition.wins``, ``foreseen``) therefore decide
before the search which moves of the root it considers at all.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from ludus.learn.tree_storage import TreeStorage
else:
    from cython.cimports.ludus.learn.tree_storage import TreeStorage  # type: ignore[no-redef]

LOSES = cython.declare(cython.int, -1)
UNKNOWN = cython.declare(cython.int, 0)
SURE_WIN = cython.declare(cython.int, 1)
WINS = cython.declare(cython.int, 2)
"""Results of a move: the rival wins at once, unknown, a sure win later, a win at once."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def restrict_root(tree: TreeStorage) -> cython.void:
    """Leave priors only to the moves of the root with the best known result."""
    first: cython.int = tree.node[0].first
    i: cython.int
    best: cython.int = LOSES
    whole: cython.double = 0.0
    tree.walk.become(tree.position)
    sure: cython.bint = tree.walk.foreseen() > 0
    for i in range(tree.node[0].count):
        tree.buffer[i] = known_result(tree, first + i, sure)
        best = max(best, tree.buffer[i])
    for i in range(tree.node[0].count):
        if tree.buffer[i] < best:
            tree.edge[first + i].prior = 0.0
        tree.edge[first + i].prior += 1e-9 * (tree.buffer[i] == best)
        whole += tree.edge[first + i].prior
    for i in range(tree.node[0].count):
        tree.edge[first + i].prior /= whole


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def known_result(tree: TreeStorage, edge: cython.int, sure: cython.bint) -> cython.int:
    """The result of a move of the root; ``sure``: whether to look for later wins too."""
    win: cython.double
    tree.walk.become(tree.position)
    tree.walk.make(cython.cast(cython.int, tree.edge[edge].move))
    if tree.walk.over:
        win = tree.walk.score if tree.node[0].seat == 0 else -tree.walk.score
        return WINS if win > 0 else LOSES if win < 0 else UNKNOWN
    if tree.walk.seat == tree.node[0].seat:
        return UNKNOWN
    if tree.walk.wins():
        return LOSES
    return SURE_WIN if sure and tree.walk.foreseen() < 0 else UNKNOWN
