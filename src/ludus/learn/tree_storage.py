"""The memory of a search tree: nodes and edges as rows of flat arrays, compiled.

A node is one path from the root; its edges are its legal moves, which lie side by side in the
array of edges (``first``, ``count``). Nothing is allocated while a search runs: a search stops
when the next node might not fit (``has_room``), the arrays grow, and the search goes on.

Because a node is a path, neither a repeated position nor a limit of plies can lead in a circle.
Positions that come up again by another order of moves share their evaluation, found by the
position's key in a hash table (``remember``, ``recall``), but not their statistics.

Values count for the seat that moves: 1 is a win, -1 a loss. Scores always count for seat 0.
"""

from __future__ import annotations

import ctypes
from array import array
from ctypes import c_float, c_int, c_ulonglong
from functools import cache
from typing import TYPE_CHECKING, Any

import cython

if TYPE_CHECKING:  # only training and networks need numpy
    import numpy.typing as npt

if not cython.compiled:
    from ludus.games.search_position import SearchPosition

    MAX_MOVES = 2048
    """No position that is searched has more legal moves."""
    LEAF, WAITING, OPEN, ENDED, SEEN = range(5)
    """States of a node: just added; sent to the network, which has not answered; with its moves;
    the bout is over or its end is known; evaluated, but without moves until the next visit."""
else:
    from cython.cimports.ludus.games.search_position import (  # type: ignore[no-redef]
        SearchPosition,
    )


class NodeRow(ctypes.Structure):
    """The struct ``Node`` of tree_storage.pxd; ``via`` is the edge that leads to the node."""

    _fields_ = (
        ("key", c_ulonglong),
        *((name, c_int) for name in ("parent", "via", "first", "count")),
        ("value", c_float),
        *((name, c_int) for name in ("seat", "state", "tries")),
    )


class EdgeRow(ctypes.Structure):
    """The struct ``Edge`` of tree_storage.pxd; ``action`` is the network's output for the move, and
    ``total`` the sum of the values that came back through the edge, for the seat that moves."""

    _fields_ = (
        *((name, c_int) for name in ("move", "action", "child", "tries")),
        *((name, c_float) for name in ("prior", "total")),
    )


@cache
def edge_dtype() -> Any:
    """``EdgeRow`` for numpy."""
    import numpy as np

    return np.dtype(EdgeRow)


@cython.cclass
class TreeStorage:
    """Nodes and edges below a root position, and what a new root keeps of them."""

    def __init__(self, position: SearchPosition) -> None:
        self.position, self.walk = position.copy(), position.copy()
        self.exact = False
        if not cython.compiled:
            self.buffer = [0] * MAX_MOVES
        self._allocate(256, 16384)
        self.reset()

    def reset(self) -> None:
        """Forget everything but the root's position."""
        self.nodes = self.edges = 0
        self._forget_all()
        self.walk.become(self.position)
        self.walk.raise_failure()
        self.add_node(-1, -1)
        if self.walk.over:
            self.node[0].state, self.node[0].value = ENDED, self.walk.score

    def advance(self, move: int) -> None:
        """Play a move at the root: the subtree below it becomes the tree."""
        root: cython.int = self._find_child(move)
        self.position.play(move)
        if root < 0 or self.node[root].state != OPEN:
            self.reset()
        else:
            self._keep_subtree(root)

    def seek(self, position: SearchPosition) -> bool:
        """Make a position that is at most two moves ahead the root; False if it is not there."""
        wanted = position.hash
        if self.position.hash == wanted:
            return True
        for node, moves in self._nodes_near_root():
            if self.node[node].key == wanted and self.node[node].state == OPEN:
                for move in moves:
                    self.position.play(move)
                self._keep_subtree(node)
                return True
        return False

    def _nodes_near_root(self) -> list[tuple[int, list[int]]]:
        """The nodes one and two moves below the root, with those moves."""
        ones = [(node, [self._move_to(node)]) for node in self._children(0)]
        twos = [
            (below, [move, self._move_to(below)])
            for node, (move,) in ones
            for below in self._children(node)
        ]
        return ones + twos

    def _move_to(self, node: int) -> int:
        return int(self.edge[self.node[node].via].move)

    def _children(self, node: int) -> list[int]:
        if self.node[node].state != OPEN:
            return []
        first = self.node[node].first
        children = [self.edge[first + i].child for i in range(self.node[node].count)]
        return [child for child in children if child >= 0]

    def _find_child(self, move: int) -> int:
        """The node that a move of the root leads to, or -1."""
        for i in range(self.node[0].count if self.node[0].state == OPEN else 0):
            if self.edge[self.node[0].first + i].move == move:
                return int(self.edge[self.node[0].first + i].child)
        return -1

    def root_column(self, field: str) -> npt.NDArray[Any]:
        """One field of all edges of the root, as a view for numpy."""
        import numpy as np

        first, count = self.node[0].first, self.node[0].count
        rows = np.frombuffer(memoryview(self.edge_rows), edge_dtype())
        column: npt.NDArray[Any] = rows[field][first : first + count]
        return column

    # Growing and copying the arrays.

    def _allocate(self, nodes: int, edges: int) -> None:
        self.node_rows, self.edge_rows = (NodeRow * nodes)(), (EdgeRow * edges)()
        self.node, self.edge = self.node_rows, self.edge_rows
        self.slots = array("i", bytes(4 << (4 * nodes - 1).bit_length()))

    def make_room(self, more_nodes: int) -> None:
        """Grow the arrays if the next node might not fit; ``more_nodes`` may still come."""
        if self.has_room():
            return
        node, edge = self.node_rows, self.edge_rows
        wanted = self.nodes + max(more_nodes, len(node)) + 2
        self._allocate(wanted, max(2 * len(edge), len(edge) + 4 * MAX_MOVES))
        ctypes.memmove(self.node_rows, node, ctypes.sizeof(NodeRow) * self.nodes)
        ctypes.memmove(self.edge_rows, edge, ctypes.sizeof(EdgeRow) * self.edges)
        self._remember_all()

    def _forget_all(self) -> None:
        slot: cython.Py_ssize_t
        for slot in range(len(self.slots)):
            self.slots[slot] = -1

    def _remember_all(self) -> None:
        self._forget_all()
        number: cython.int
        for number in range(self.nodes):
            if self.node[number].state == OPEN:
                self.remember(number)

    def _keep_subtree(self, root: int) -> None:
        """Make a node the root and drop everything that is not below it.

        Rows are copied breadth first, so that the children of a node are numbered while it is
        copied; ``order`` lists the old numbers of the nodes by their new ones.
        """
        node = self.node
        edge = self.edge
        self._allocate(len(node), len(edge))
        order, at = [root], 0
        self.node[0] = node[root]
        self.node[0].parent = self.node[0].via = -1
        for new, old in enumerate(order):  # grows while it is walked through
            if node[old].state != OPEN:
                continue
            first, count = node[old].first, node[old].count
            self.node[new].first = at
            for place in range(at, at + count):
                self.edge[place] = edge[first + place - at]
                if (child := self.edge[place].child) >= 0:
                    self.edge[place].child = len(order)
                    self.node[len(order)] = node[child]
                    self.node[len(order)].parent, self.node[len(order)].via = new, place
                    order.append(child)
            at += count
        self.nodes, self.edges = len(order), at
        self._remember_all()

    # What a running search calls, without the interpreter.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has_room(self) -> cython.bint:
        """Whether one more node fits, with as many moves as a position can have."""
        return self.nodes + 1 < len(self.node) and self.edges + MAX_MOVES < len(self.edge)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add_node(self, parent: cython.int, via: cython.int) -> cython.int:
        """A new leaf for the position that the walk has reached."""
        node: cython.int = self.nodes
        self.node[node].parent, self.node[node].via = parent, via
        self.node[node].state = LEAF
        self.node[node].count = self.node[node].tries = 0
        self.node[node].key, self.node[node].seat = self.walk.key(), self.walk.seat
        self.nodes += 1
        return node

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def open(self, node: cython.int) -> cython.void:
        """Give a node the moves of the position that the walk has reached, with equal priors; end
        it where there are none, because the rules failed."""
        count: cython.int = self.walk.fill(self.buffer)
        edge: cython.int = self.edges
        i: cython.int
        self.node[node].first, self.node[node].count = edge, count
        if count == 0:
            self.node[node].state, self.node[node].value = ENDED, 0.0
            return
        prior: cython.float = 1.0 / count
        for i in range(count):
            self.edge[edge + i].move = self.buffer[i]
            self.edge[edge + i].child = -1
            self.edge[edge + i].tries = 0
            self.edge[edge + i].prior = prior
            self.edge[edge + i].total = 0.0
        self.edges += count
        self.node[node].state = OPEN

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def recall(self, node: cython.int) -> cython.bint:
        """Open or end a node like an earlier one of the same position; False if there is none."""
        mask: cython.int = len(self.slots) - 1
        slot: cython.int = self.node[node].key & mask
        other: cython.int
        edge: cython.int = self.edges
        i: cython.int
        while self.slots[slot] >= 0:
            other = self.slots[slot]
            if self.node[other].key == self.node[node].key:
                break
            slot = (slot + 1) & mask
        else:
            return False
        if self.node[other].state == ENDED:
            self.node[node].state, self.node[node].value = ENDED, self.node[other].value
            return True
        self.node[node].first, self.node[node].count = edge, self.node[other].count
        for i in range(self.node[other].count):
            self.edge[edge + i].move = self.edge[self.node[other].first + i].move
            self.edge[edge + i].action = self.edge[self.node[other].first + i].action
            self.edge[edge + i].prior = self.edge[self.node[other].first + i].prior
            self.edge[edge + i].child = -1
            self.edge[edge + i].tries = 0
            self.edge[edge + i].total = 0.0
        self.edges += self.node[other].count
        self.node[node].value = self.node[other].value
        self.node[node].state = OPEN
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def remember(self, node: cython.int) -> cython.void:
        """Let ``recall`` find a node."""
        mask: cython.int = len(self.slots) - 1
        slot: cython.int = self.node[node].key & mask
        while self.slots[slot] >= 0:
            slot = (slot + 1) & mask
        self.slots[slot] = node
