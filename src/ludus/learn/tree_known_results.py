"""Results that are known for certain, compiled: at the root before a search, and during it.

A network may find a move likely that loses at once, and with few simulations a search may not
notice. Games that can foresee an end (``SearchPosition.wins``, ``foreseen``) therefore decide
before the search which moves of the root it considers at all.

During a search that is ``exact``, leaves turn out to be won, drawn or lost for certain: the bout is
over there, or its end was foreseen or proven. ``conclude`` reasons from them to the nodes above: a
seat that has a winning move wins, and where all moves are known, the best one counts. A node that
is known is not searched any more. A move that loses is *refuted*: it counts as if it had never been
tried, and is not followed again.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from ludus.learn.tree_storage import ENDED, TreeStorage
else:
    from cython.cimports.ludus.learn.tree_storage import (  # type: ignore[no-redef]
        ENDED,
        TreeStorage,
    )

LOSES = cython.declare(cython.int, -1)
UNKNOWN = cython.declare(cython.int, 0)
SURE_WIN = cython.declare(cython.int, 1)
WINS = cython.declare(cython.int, 2)
"""Results of a move: the rival wins at once, unknown, a sure win later, a win at once."""
NOT_KNOWN = cython.declare(cython.double, 2.0)
"""The gain of a move whose result is not known; others are from -1 to 1."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def restrict_root(tree: TreeStorage) -> cython.void:
    """Leave priors only to the moves of the root with the best known result; if the rules fail,
    the walk stays where they did, for ``raise_failure``."""
    first: cython.int = tree.node[0].first
    i: cython.int
    best: cython.int = LOSES
    whole: cython.double = 0.0
    tree.walk.become(tree.position)
    if tree.walk.failed:
        return
    sure: cython.bint = tree.walk.foreseen() > 0
    for i in range(tree.node[0].count):
        tree.buffer[i] = known_result(tree, first + i, sure)
        if tree.walk.failed:
            return
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def conclude(tree: TreeStorage, node: cython.int) -> cython.void:
    """Reason from a node whose result is known to those above it; the root stays open."""
    parent: cython.int
    gain: cython.double
    while node > 0:
        parent = tree.node[node].parent
        if is_refuted(tree, tree.node[node].via):
            forget(tree, tree.node[node].via, parent)
        if parent == 0 or not is_settled(tree, parent):
            return
        gain = best_gain(tree, parent)
        tree.node[parent].state = ENDED
        tree.node[parent].value = gain if tree.node[parent].seat == 0 else -gain
        node = parent


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def forget(tree: TreeStorage, edge: cython.int, node: cython.int) -> cython.void:
    """Let a refuted move of a node count as if it had never been tried."""
    tree.node[node].tries -= tree.edge[edge].tries
    tree.edge[edge].tries = 0
    tree.edge[edge].total = 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_settled(tree: TreeStorage, node: cython.int) -> cython.bint:
    """Whether the result of a node with moves follows from what is known of them."""
    edge: cython.int
    if winning_edge(tree, node) >= 0:
        return True
    for edge in range(tree.node[node].first, tree.node[node].first + tree.node[node].count):
        if known_gain(tree, edge) == NOT_KNOWN:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def best_gain(tree: TreeStorage, node: cython.int) -> cython.double:
    """What a node that is settled brings the seat to move."""
    edge: cython.int
    gain: cython.double
    best: cython.double = -1.0
    for edge in range(tree.node[node].first, tree.node[node].first + tree.node[node].count):
        gain = known_gain(tree, edge)
        if gain != NOT_KNOWN:
            best = max(best, gain)
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def winning_edge(tree: TreeStorage, node: cython.int) -> cython.int:
    """A move of a node that wins for certain, or -1."""
    edge: cython.int
    for edge in range(tree.node[node].first, tree.node[node].first + tree.node[node].count):
        if known_gain(tree, edge) == 1.0:
            return edge
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_refuted(tree: TreeStorage, edge: cython.int) -> cython.bint:
    """Whether a move loses for certain."""
    return known_gain(tree, edge) == -1.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def known_gain(tree: TreeStorage, edge: cython.int) -> cython.double:
    """What a move certainly brings its mover, or ``NOT_KNOWN``."""
    child: cython.int = tree.edge[edge].child
    if child < 0 or tree.node[child].state != ENDED:
        return NOT_KNOWN
    seat: cython.int = tree.node[tree.node[child].parent].seat
    value: cython.double = tree.node[child].value
    return value if seat == 0 else -value
