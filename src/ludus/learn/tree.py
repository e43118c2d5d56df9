"""A search tree over any game of two seats, compiled; nothing in it needs the interpreter.

Nodes and edges are rows of flat arrays. A node holds the list of its legal moves, never a vector
of all that there could be. A node is one path from the root, so that neither a repeated position
nor a limit of plies can lead in a circle; positions that come up again by another order of moves
share their evaluation, not their place.

Values count for the seat that moves: 1 a win, -1 a loss. ``score`` always counts for seat 0.
"""

from __future__ import annotations

import math
from typing import Any

import cython
import numpy as np
import numpy.typing as npt

if not cython.compiled:
    from ludus.games.search_position import SearchPosition, mixed

    exp, log, sqrt, INFINITY = math.exp, math.log, math.sqrt, math.inf
else:
    from cython.cimports.libc.math import INFINITY, exp, log, sqrt  # type: ignore[no-redef]
    from cython.cimports.ludus.games.search_position import SearchPosition, mixed  # type: ignore[no-redef]

MOST_MOVES = cython.declare(cython.int, 2048)
LEAF = cython.declare(cython.int, 0)
WAITING = cython.declare(cython.int, 1)
OPEN = cython.declare(cython.int, 2)
ENDED = cython.declare(cython.int, 3)
SEEN = cython.declare(cython.int, 4)
"""States of a node: just met, asked about, with moves, over, evaluated but still without moves."""
GROWN = cython.declare(cython.int, -1)
COLLIDED = cython.declare(cython.int, -2)
"""What ``visit`` answers when no evaluation is needed, or when none can be waited for."""
LOSES = cython.declare(cython.int, -1)
OPEN_END = cython.declare(cython.int, 0)
SURE = cython.declare(cython.int, 1)
WINS = cython.declare(cython.int, 2)
"""Fates of a move: the rival wins at once, who knows, a win that is sure, a win at once."""
CERTAINLY = cython.declare(cython.double, 1e-9)
"""Priors below this count as this."""

Floats = npt.NDArray[np.float32]
NODE = np.dtype(
    {
        "names": ["key", "parent", "via", "first", "count", "value", "seat", "state", "tries"],
        "formats": ["u8", "i4", "i4", "i4", "i4", "f4", "i4", "i4", "i4"],
    },
    align=True,
)
EDGE = np.dtype(
    {
        "names": ["move", "action", "child", "tries", "prior", "total"],
        "formats": ["i4", "i4", "i4", "i4", "f4", "f4"],
    }
)
"""As the structs of tree.pxd."""


def rounds(considered: int, simulations: int) -> list[int]:
    """Sequential halving: how many moves of the root are tried in each round of a search.

    All considered moves are tried equally often, then the better half, …
    """
    found: list[int] = []
    halvings = max(1, math.ceil(math.log2(max(2, considered))))
    left = considered
    while sum(found) < simulations:
        for _ in range(max(1, simulations // (halvings * left))):
            if sum(found) < simulations:
                found.append(min(left, simulations - sum(found)))
        left = max(min(2, considered), left // 2)
    return found


@cython.final
@cython.cclass
class Tree:
    """The tree of one bout.

    ``gumbel`` chooses moves of the root by sequential halving and below it by the improved policy;
    otherwise PUCT with exploration ``explore`` is used everywhere, and a move that was never tried
    counts as ``unseen`` worse than its position. ``alert``: a leaf whose
    end can be foreseen is worth that end, without evaluation, and at the root no move is likely
    that loses at once, or does not win where a win is sure.
    """

    def __init__(
        self,
        ground: SearchPosition,
        *,
        gumbel: bool = False,
        explore: float = 1.5,
        unseen: float = 0.0,
        scale: float = 0.1,
        seed: int = 0,
        width: int = 8,
        alert: bool = True,
    ) -> None:
        self.ground, self.walk = ground.copy(), ground.copy()
        self.gumbel, self.explore, self.unseen, self.alert = gumbel, explore, unseen, alert
        self.scale, self.first_visits = scale, 50.0
        self.random = (seed * 0x9E3779B97F4A7C15 + 0x2545F4914F6CDD1D) & 0xFFFFFFFFFFFFFFFF or 1
        if not cython.compiled:
            self.buffer = [0] * MOST_MOVES
        self.waiting = 0
        self.queue = np.zeros(width, np.int32)
        self.luck, self.since = np.zeros(1, np.float32), np.zeros(1, np.int32)
        self.lanes, self.plan = np.zeros(1, np.int32), np.zeros(1, np.int32)
        self._allot(256, 16384)
        self._plant()

    # The search as Python code steers it.

    def begin(self, simulations: int, luck: Floats | None = None, considered: int = 16) -> None:
        """A search of so many simulations from the root; ``luck`` is a Gumbel number per move."""
        self.budget, self.simulations, self.asked = simulations, 0, 0
        if self.alert and self.node[0].state == OPEN:
            self.sharpen()
        if not self.gumbel:
            return
        if self.node[0].state != OPEN:
            raise ValueError("a Gumbel search begins at a root that was evaluated")
        moves = self.node[0].count
        self.luck = np.zeros(moves, np.float32) if luck is None else luck
        self.since = np.zeros(moves, np.int32)
        self.lanes = np.arange(moves, dtype=np.int32)
        self.plan = np.array(rounds(min(considered, moves), simulations), np.int32)
        self.round, self.turn, self.considered = -1, 0, moves

    def think(self, simulations: int, rollouts: bool = False) -> None:
        """Search at once: leaves are worth a random bout's result, or 0; every move looks alike."""
        self.begin(simulations)
        self.go_on(rollouts)

    def go_on(self, rollouts: bool) -> None:
        """As ``think``, for a search that has begun."""
        node: cython.int
        score: cython.double
        while self.simulations < self.budget:
            self._make_room()
            with cython.nogil:
                while self.simulations < self.budget and self.room():
                    node = self.visit()
                    if node < 0:
                        continue
                    self.node[node].state, self.node[node].value = SEEN, 0.0
                    score = 0.0
                    if rollouts:
                        self.random = mixed(self.random)
                        score = self.walk.rollout(self.random)
                    self.back_up(node, score)

    @cython.locals(rows="float[::1]")
    def gather(self, out: Floats) -> int:
        """Go on until a leaf waits for each row, or no more can be had; tells how many wait.

        What the leaves look like goes into the rows.
        """
        self._make_room()
        most: cython.int = min(out.shape[0], self.queue.shape[0])
        rows = out.reshape(-1)
        with cython.nogil:
            self.step(most, rows)
        return self.waiting

    @cython.locals(rows="float[:, ::1]", worth="float[::1]")
    def answer(self, policy: Floats, values: Floats) -> None:
        """What the network says to the leaves that wait: a row of logits and a value for each."""
        number: cython.int
        rows = np.require(policy, np.float32, ["C", "W"])
        worth = np.require(values, np.float32, ["C", "W"])
        with cython.nogil:
            for number in range(self.waiting):
                self.reply(self.queue[number], rows, number, worth[number])
        self.waiting = 0

    @property
    def done(self) -> bool:
        """Whether the search has made its simulations."""
        return bool(self.simulations >= self.budget)

    @property
    def opened(self) -> bool:
        """Whether the root has its moves, or none because the bout is over."""
        return self.node[0].state in (OPEN, ENDED)

    # What was found, per move of the root.

    def moves(self) -> list[int]:
        """The numbers of the root's moves."""
        return [self.edge[self.node[0].first + i].move for i in range(self.node[0].count)]

    def texts(self) -> list[str]:
        """The root's moves in the game's notation."""
        return [self.ground.text(move) for move in self.moves()]

    def actions(self) -> npt.NDArray[np.int32]:
        """Which of the network's answers stand for the root's moves."""
        return np.array(self._root("action"))

    def visits(self) -> npt.NDArray[np.int32]:
        """How often each move of the root was tried."""
        return np.array(self._root("tries"))

    def tried(self) -> npt.NDArray[np.int32]:
        """The same in this search alone, for a Gumbel search."""
        return np.array(self.since)

    def values(self) -> Floats:
        """What each move of the root is worth to its mover; 0 if never tried."""
        worth: Floats = self._root("total") / np.maximum(self._root("tries"), 1)
        return worth

    def priors(self) -> Floats:
        """The chances the network gave to the root's moves."""
        return np.array(self._root("prior"))

    def set_priors(self, priors: Floats) -> None:
        """Replace them, for instance to add noise."""
        self._root("prior")[:] = priors

    def worth(self) -> float:
        """What the root is worth to its mover, by the search."""
        tries = int(self._root("tries").sum())
        return float(self._root("total").sum()) / tries if tries else float(self.node[0].value)

    def improved(self) -> Floats:
        """The policy that the search recommends to a network: priors raised by what was found."""
        return _softmax(np.log(np.maximum(self.priors(), CERTAINLY)) + self._advantage())

    def best(self) -> int:
        """Which move of the root to play, as an index: Gumbel's choice, or the most tried."""
        if not self.gumbel:
            tries = self.visits()
            most = np.flatnonzero(tries == tries.max())
            return int(most[np.argmax(self.values()[most] + 1e-3 * self.priors()[most])])
        scores = np.asarray(self.luck) + np.log(np.maximum(self.priors(), CERTAINLY))
        scores = scores + self._advantage()
        tried = self.tried()
        return int(np.argmax(np.where(tried == tried.max(), scores, -np.inf)))

    def advance(self, move: int) -> None:
        """A move was played: its subtree becomes the tree."""
        root: cython.int = self._child_by(move)
        self.ground.play(move)
        if root < 0 or self.node[root].state != OPEN:
            self._plant()
        else:
            self._keep(root)

    def seek(self, ground: SearchPosition) -> bool:
        """Go to a position that is one or two moves ahead in the tree; False if it is not there."""
        wanted = ground.hash
        if self.ground.hash == wanted:
            return True
        for node, moves in self._near():
            if self.node[node].key == wanted and self.node[node].state == OPEN:
                for move in moves:
                    self.ground.play(move)
                self._keep(node)
                return True
        return False

    def _near(self) -> list[tuple[int, list[int]]]:
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
        found = [self.edge[first + i].child for i in range(self.node[node].count)]
        return [child for child in found if child >= 0]

    def _child_by(self, move: int) -> int:
        for i in range(self.node[0].count if self.node[0].state == OPEN else 0):
            if self.edge[self.node[0].first + i].move == move:
                return int(self.edge[self.node[0].first + i].child)
        return -1

    def _root(self, field: str) -> npt.NDArray[Any]:
        """A column of the root's edges."""
        first, count = self.node[0].first, self.node[0].count
        column: npt.NDArray[Any] = self.edge_rows[field][first : first + count]
        return column

    def _advantage(self) -> Floats:
        """How far the search raises the logarithm of each prior of the root."""
        visits, priors, values = self._root("tries"), self._root("prior"), self.values()
        tried = visits > 0
        total = int(visits.sum())
        mix = float(self.node[0].value)
        if total:
            weights = np.where(tried, np.maximum(priors, CERTAINLY), 0.0)
            mix = (mix + total * float((weights * values).sum() / weights.sum())) / (total + 1)
        complete = np.where(tried, values, mix)
        low, high = complete.min(), complete.max()
        scaled = (complete - low) / max(high - low, 1e-8)
        raised: Floats = (self.first_visits + visits.max(initial=0)) * self.scale * scaled
        return raised

    # Room for nodes and edges.

    def _allot(self, nodes: int, edges: int) -> None:
        self.node_rows, self.edge_rows = np.empty(nodes, NODE), np.empty(edges, EDGE)
        if cython.compiled:
            self.node, self.edge = self.node_rows, self.edge_rows
        else:
            self.node, self.edge = (
                rows.view(np.recarray) for rows in (self.node_rows, self.edge_rows)
            )
        self.slots = np.full(1 << (4 * nodes - 1).bit_length(), -1, np.int32)

    def _plant(self) -> None:
        """A tree of nothing but the root."""
        self.nodes = self.edges = self.waiting = self.asked = 0
        self.simulations = self.budget = self.depth = 0
        self.slots[:] = -1
        self.walk.become(self.ground)
        self.add_node(-1, -1)
        if self.walk.over:
            self.node[0].state, self.node[0].value = ENDED, self.walk.score

    def _make_room(self) -> None:
        """Grow the arrays if the next node might not fit."""
        if self.room():
            return
        node, edge = self.node_rows, self.edge_rows
        wanted = self.nodes + max(self.budget - self.simulations, len(node)) + 2
        self._allot(wanted, max(2 * len(edge), len(edge) + 4 * MOST_MOVES))
        copy_rows(node, self.node_rows, self.nodes)
        copy_rows(edge, self.edge_rows, self.edges)
        self._remember_all()

    def _remember_all(self) -> None:
        self.slots[:] = -1
        number: cython.int
        for number in range(self.nodes):
            if self.node[number].state == OPEN:
                self.remember(number)

    def _keep(self, root: int) -> None:
        """Make a node the root and let go of all that is not below it."""
        node, edge = self.node_rows, self.edge_rows
        self._allot(len(node), len(edge))
        new_node, new_edge = self.node_rows, self.edge_rows
        order, at = [root], 0
        new_node[0] = node[root]
        new_node[0]["parent"] = new_node[0]["via"] = -1
        for new, old in enumerate(order):  # grows while we walk
            if node[old]["state"] != OPEN:
                continue
            first, count = int(node[old]["first"]), int(node[old]["count"])
            new_edge[at : at + count] = edge[first : first + count]
            new_node[new]["first"] = at
            for place in (at + np.flatnonzero(edge[first : first + count]["child"] >= 0)).tolist():
                child = int(new_edge[place]["child"])
                new_edge[place]["child"] = len(order)
                new_node[len(order)] = node[child]
                new_node[len(order)]["parent"], new_node[len(order)]["via"] = new, place
                order.append(child)
            at += count
        self.nodes, self.edges = len(order), at
        self.waiting = self.simulations = self.budget = self.depth = 0
        self._remember_all()

    # What runs without the interpreter.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def room(self) -> cython.bint:
        """Whether one more node with as many moves as can be still fits."""
        return self.nodes + 1 < self.node.shape[0] and self.edges + MOST_MOVES < self.edge.shape[0]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add_node(self, parent: cython.int, via: cython.int) -> cython.int:
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
    def visit(self) -> cython.int:
        """One simulation, up to a leaf that must be evaluated: that node, or what else came."""
        node: cython.int = self.descend()
        if self.node[node].state == WAITING:
            self.undo(node)
            return COLLIDED
        self.simulations += 1
        if self.alert and node > 0 and self.node[node].state == LEAF:
            known: cython.int = self.walk.foreseen()
            if known:
                self.node[node].state = ENDED
                self.node[node].value = known if self.walk.seat == 0 else -known
        if self.node[node].state == ENDED:
            self.back_up(node, self.node[node].value)
            return GROWN
        if self.recall(node):
            score: cython.double = self.node[node].value
            self.back_up(node, score if self.node[node].seat == 0 else -score)
            return GROWN
        return node

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    @cython.locals(out="float[::1]")
    def step(self, most: cython.int, out: Any) -> cython.void:
        """Make simulations until so many leaves wait; each one's looks go to the next row."""
        node: cython.int
        edge: cython.int
        size: cython.int = self.walk.planes * self.walk.cells
        while self.waiting < most and self.room():
            if self.simulations >= self.budget and self.node[0].state != LEAF:
                break
            if self.gumbel and self.waiting and self.round_is_over():
                break
            node = self.visit()
            if node == COLLIDED:
                break
            if node >= 0:
                self.open(node)
                for edge in range(self.node[node].first, self.edges):
                    self.edge[edge].action = self.walk.action(
                        cython.cast(cython.int, self.edge[edge].move)
                    )
                self.walk.encode(out, self.waiting * size)
                self.node[node].state = WAITING
                self.queue[self.waiting] = node
                self.waiting += 1
                self.asked += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def descend(self) -> cython.int:
        """Walk down to a node without moves, counting on the way each try as lost for now."""
        node: cython.int = 0
        edge: cython.int
        deep: cython.int = 0
        self.walk.become(self.ground)
        while True:
            if self.node[node].state == SEEN:
                self.open(node)
            if self.node[node].state != OPEN:
                break
            edge = self.choose_root() if self.gumbel and node == 0 else self.choose(node)
            self.edge[edge].tries += 1
            self.edge[edge].total -= 1
            self.node[node].tries += 1
            self.walk.make(cython.cast(cython.int, self.edge[edge].move))
            deep += 1
            if self.edge[edge].child < 0:
                self.edge[edge].child = self.add_node(node, edge)
                node = self.edge[edge].child
                if self.walk.over:
                    self.node[node].state, self.node[node].value = ENDED, self.walk.score
            else:
                node = self.edge[edge].child
        if deep > self.depth:
            self.depth = deep
        return node

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sharpen(self) -> cython.void:
        """Leave priors to the moves of the best fate alone."""
        first: cython.int = self.node[0].first
        i: cython.int
        best: cython.int = LOSES
        whole: cython.double = 0.0
        self.walk.become(self.ground)
        sure: cython.bint = self.walk.foreseen() > 0
        for i in range(self.node[0].count):
            self.buffer[i] = self.fate(first + i, sure)
            best = max(best, self.buffer[i])
        for i in range(self.node[0].count):
            if self.buffer[i] < best:
                self.edge[first + i].prior = 0.0
            self.edge[first + i].prior += 1e-9 * (self.buffer[i] == best)
            whole += self.edge[first + i].prior
        for i in range(self.node[0].count):
            self.edge[first + i].prior /= whole

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fate(self, edge: cython.int, sure: cython.bint) -> cython.int:
        """What certainly comes of a move of the root; ``sure``: whether to look for sure wins."""
        win: cython.double
        self.walk.become(self.ground)
        self.walk.make(cython.cast(cython.int, self.edge[edge].move))
        if self.walk.over:
            win = self.walk.score if self.node[0].seat == 0 else -self.walk.score
            return WINS if win > 0 else LOSES if win < 0 else OPEN_END
        if self.walk.seat == self.node[0].seat:
            return OPEN_END
        if self.walk.wins():
            return LOSES
        return SURE if sure and self.walk.foreseen() < 0 else OPEN_END

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def choose(self, node: cython.int) -> cython.int:
        """The edge to follow from a node."""
        if self.gumbel:
            return self.choose_improved(node)
        first: cython.int = self.node[node].first
        edge: cython.int
        best: cython.int = first
        top: cython.float = -INFINITY
        value: cython.float
        tries: cython.float
        unseen: cython.float = 0.0
        if self.unseen != 0.0:
            unseen = self.mean(node) - self.unseen
        reach: cython.float = self.explore * sqrt(self.node[node].tries + 1e-8)
        for edge in range(first, first + self.node[node].count):
            tries = self.edge[edge].tries
            value = reach * self.edge[edge].prior
            if tries > 0:
                value = value / (1 + tries) + self.edge[edge].total / tries
            else:
                value += unseen
            if value > top:
                top, best = value, edge
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def mean(self, node: cython.int) -> cython.double:
        """What a node is worth by the tries of its edges."""
        edge: cython.int
        whole: cython.double = 0.0
        for edge in range(self.node[node].first, self.node[node].first + self.node[node].count):
            whole += self.edge[edge].total
        whole /= max(1, self.node[node].tries)
        return whole

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def mixed_value(
        self, node: cython.int, low: cython.p_double, high: cython.p_double, most: cython.p_int
    ) -> cython.double:
        """What a move that was never tried is worth; also the range of values, and most tries."""
        first: cython.int = self.node[node].first
        edge: cython.int
        weight: cython.double = 0.0
        weighed: cython.double = 0.0
        value: cython.double
        mix: cython.double = self.node[node].value
        low[0], high[0], most[0] = INFINITY, -INFINITY, 0
        tried: cython.int = self.node[node].tries
        for edge in range(first, first + self.node[node].count):
            if self.edge[edge].tries:
                value = self.edge[edge].total / self.edge[edge].tries
                weight += max(self.edge[edge].prior, CERTAINLY)
                weighed += max(self.edge[edge].prior, CERTAINLY) * value
                low[0], high[0] = min(low[0], value), max(high[0], value)
                most[0] = max(most[0], self.edge[edge].tries)
        if tried:
            mix = (mix + tried * weighed / weight) / (tried + 1)
        low[0], high[0] = min(low[0], mix), max(high[0], mix)
        return mix

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def choose_improved(self, node: cython.int) -> cython.int:
        """The edge that is tried least, measured by the improved policy."""
        if cython.compiled:
            low = cython.declare(cython.double[1])  # type: ignore[misc, valid-type]
            high = cython.declare(cython.double[1])  # type: ignore[misc, valid-type]
            most = cython.declare(cython.int[1])  # type: ignore[misc, valid-type]
        else:
            low, high, most = [0.0], [0.0], [0]
        mix: cython.double = self.mixed_value(node, low, high, most)
        span: cython.double = max(high[0] - low[0], 1e-8)
        lift: cython.double = (self.first_visits + most[0]) * self.scale / span
        first: cython.int = self.node[node].first
        edge: cython.int
        whole: cython.double = 0.0
        for edge in range(first, first + self.node[node].count):
            if self.edge[edge].tries:
                whole += self.edge[edge].prior * exp(
                    lift * (self.edge[edge].total / self.edge[edge].tries - high[0])
                )
            else:
                whole += self.edge[edge].prior * exp(lift * (mix - high[0]))
        best: cython.int = first
        top: cython.double = -INFINITY
        value: cython.double
        for edge in range(first, first + self.node[node].count):
            value = mix
            if self.edge[edge].tries:
                value = self.edge[edge].total / self.edge[edge].tries
            value = self.edge[edge].prior * exp(lift * (value - high[0])) / max(whole, 1e-30)
            value -= self.edge[edge].tries / (1.0 + self.node[node].tries)
            if value > top:
                top, best = value, edge
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def choose_root(self) -> cython.int:
        """The next of the root's edges in this round."""
        if self.round_is_over():
            self.next_round()
        lane: cython.int = self.lanes[self.turn]
        self.turn += 1
        self.since[lane] += 1
        lane += self.node[0].first
        return lane

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def round_is_over(self) -> cython.bint:
        return self.round < 0 or self.turn >= self.plan[self.round]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def next_round(self) -> cython.void:
        """Bring the best of the moves that are still considered to the front."""
        if cython.compiled:
            low = cython.declare(cython.double[1])  # type: ignore[misc, valid-type]
            high = cython.declare(cython.double[1])  # type: ignore[misc, valid-type]
            most = cython.declare(cython.int[1])  # type: ignore[misc, valid-type]
        else:
            low, high, most = [0.0], [0.0], [0]
        mix: cython.double = self.mixed_value(0, low, high, most)
        lift: cython.double = (self.first_visits + most[0]) * self.scale
        lift /= max(high[0] - low[0], 1e-8)
        self.round = min(self.round + 1, cython.cast(cython.int, self.plan.shape[0]) - 1)
        self.turn = 0
        i: cython.int
        j: cython.int
        best: cython.int
        edge: cython.int
        top: cython.double
        value: cython.double
        for i in range(self.plan[self.round]):
            best, top = i, -INFINITY
            for j in range(i, self.considered):
                edge = self.node[0].first + self.lanes[j]
                value = mix
                if self.edge[edge].tries:
                    value = self.edge[edge].total / self.edge[edge].tries
                value = lift * (value - low[0]) + log(max(self.edge[edge].prior, CERTAINLY))
                value += self.luck[self.lanes[j]]
                if value > top:
                    best, top = j, value
            self.lanes[i], self.lanes[best] = self.lanes[best], self.lanes[i]
        self.considered = self.plan[self.round]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def open(self, node: cython.int) -> cython.void:
        """Give a node the moves of the position that the walk has reached; all look alike."""
        count: cython.int = self.walk.fill(self.buffer)
        edge: cython.int = self.edges
        i: cython.int
        self.node[node].first, self.node[node].count = edge, count
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
        """Open a node as another one of the same position was; False if there is none."""
        mask: cython.int = self.slots.shape[0] - 1
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
        mask: cython.int = self.slots.shape[0] - 1
        slot: cython.int = self.node[node].key & mask
        while self.slots[slot] >= 0:
            slot = (slot + 1) & mask
        self.slots[slot] = node

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    @cython.locals(policy="float[:, ::1]")
    def reply(
        self, node: cython.int, policy: Any, row: cython.int, value: cython.double
    ) -> cython.void:
        """The network's word on a leaf that waits: logits, and what it is worth to its mover."""
        first: cython.int = self.node[node].first
        edge: cython.int
        top: cython.double = -INFINITY
        whole: cython.double = 0.0
        for edge in range(first, first + self.node[node].count):
            top = max(top, policy[row, self.edge[edge].action])
        for edge in range(first, first + self.node[node].count):
            self.edge[edge].prior = exp(policy[row, self.edge[edge].action] - top)
            whole += self.edge[edge].prior
        for edge in range(first, first + self.node[node].count):
            self.edge[edge].prior /= whole
        self.node[node].value = value
        self.node[node].state = OPEN
        self.remember(node)
        self.back_up(node, value if self.node[node].seat == 0 else -value)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def back_up(self, node: cython.int, score: cython.double) -> cython.void:
        """Tell all edges on the way to a node what it is worth."""
        edge: cython.int = self.node[node].via
        while edge >= 0:
            node = self.node[node].parent
            self.edge[edge].total += 1.0 + (score if self.node[node].seat == 0 else -score)
            edge = self.node[node].via

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def undo(self, node: cython.int) -> cython.void:
        """Take a descent back."""
        edge: cython.int = self.node[node].via
        while edge >= 0:
            self.edge[edge].tries -= 1
            self.edge[edge].total += 1.0
            node = self.node[node].parent
            self.node[node].tries -= 1
            if node == 0 and self.gumbel:
                self.since[edge - self.node[0].first] -= 1
                self.turn -= 1
            edge = self.node[node].via


def copy_rows(old: npt.NDArray[Any], new: npt.NDArray[Any], count: int) -> None:
    """Copy the first rows as they lie in memory: field by field takes ten times as long."""
    size = count * old.itemsize
    new.view(np.uint8).reshape(-1)[:size] = old.view(np.uint8).reshape(-1)[:size]


def _softmax(logits: Floats) -> Floats:
    powers = np.exp(logits - np.max(logits))
    normal: Floats = (powers / powers.sum()).astype(np.float32)
    return normal
