"""Gumbel search: sequential halving at the root, the improved policy below it, compiled.

PUCT needs many simulations before its visits say anything. A Gumbel search (Danihelka et al.,
"Policy improvement by planning with Gumbel", ICLR 2022) is made for few:

- At the root, every move has the score ``noise + log prior + raised value``. The noise is drawn
  from the Gumbel distribution, which makes the best k scores a sample of k moves without
  replacement from the priors. Sequential halving gives these k moves the same number of
  simulations, drops the worse half by score, and so on until two are left: the moves that matter
  get most of the simulations, and how often each rank is tried is fixed in advance.
- Below the root, moves are tried so that the visits approach the *improved policy*: the priors
  raised by the values found, ``softmax(log prior + raised value)``. A move that was never tried
  counts with the node's *mixed value*, the network's value of the node averaged with the values
  of its tried moves, weighted by prior.

A value is raised by a factor that grows with the visits, ``(50 + most visits) · 0.1``, after
scaling the node's values to the range from 0 to 1: with more visits, what the search found
outweighs what the network expected.
"""

from __future__ import annotations

import math
from array import array
from typing import TYPE_CHECKING

import cython

if TYPE_CHECKING:  # only training and networks need numpy
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]

if not cython.compiled:
    from ludus.learn.tree_known_results import is_refuted
    from ludus.learn.tree_storage import TreeStorage

    exp, log, INFINITY = math.exp, math.log, math.inf
else:
    from cython.cimports.libc.math import INFINITY, exp, log  # type: ignore[no-redef]
    from cython.cimports.ludus.learn.tree_known_results import is_refuted  # type: ignore[no-redef]
    from cython.cimports.ludus.learn.tree_storage import TreeStorage  # type: ignore[no-redef]

MIN_PRIOR = cython.declare(cython.double, 1e-9)
"""Priors below this count as this."""
VISIT_OFFSET = cython.declare(cython.double, 50.0)
VALUE_SCALE = cython.declare(cython.double, 0.1)
"""A value is raised by (VISIT_OFFSET + most visits) · VALUE_SCALE."""


def round_sizes(considered: int, simulations: int) -> list[int]:
    """Sequential halving: how many moves of the root are tried in each round of a search.

    All considered moves are tried equally often, then the better half of them, and so on; the
    sizes add up to ``simulations``.
    """
    sizes: list[int] = []
    halvings = max(1, math.ceil(math.log2(max(2, considered))))
    left = considered
    while sum(sizes) < simulations:
        for _ in range(max(1, simulations // (halvings * left))):
            if sum(sizes) < simulations:
                sizes.append(min(left, simulations - sum(sizes)))
        left = max(min(2, considered), left // 2)
    return sizes


@cython.final
@cython.cclass
class SequentialHalving:
    """Which move of the root each simulation of one search tries.

    ``order`` holds the moves of the root; its first ``considered`` entries are still in the race.
    A round tries the first ``sizes[round]`` of them once each, ``turn`` counts them. Before a round
    the moves in the race are brought into the order of their scores, so that the best come first
    and the others drop out. Nothing else is sorted, because a move that is out never returns.
    """

    def __init__(self, moves: int, noise: Floats | None, considered: int, simulations: int) -> None:
        self.noise = array("f", bytes(4 * moves)) if noise is None else noise
        self.tries = array("i", bytes(4 * moves))
        self.order = array("i", range(moves))
        self.sizes = array("i", round_sizes(min(considered, moves), simulations))
        self.round, self.turn, self.considered, self.ready = -1, 0, moves, 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def choose(self, tree: TreeStorage) -> cython.int:
        """The edge of the root to follow next."""
        if self.round_is_over():
            self.start_round(tree)
        move: cython.int = self.order[self.turn]
        self.turn += 1
        self.tries[move] += 1
        move += tree.node[0].first
        return move

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def undo(self, move: cython.int) -> cython.void:
        """Take the last choice back."""
        self.tries[move] -= 1
        self.turn -= 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def round_is_over(self) -> cython.bint:
        """Whether the next choice starts a round, which needs all values of the last one."""
        return self.round < 0 or self.turn >= self.ready

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def start_round(self, tree: TreeStorage) -> cython.void:
        """Bring the best of the moves that are still considered to the front. If all of them are
        refuted, those that had dropped out are considered again."""
        self.round = min(self.round + 1, cython.cast(cython.int, len(self.sizes)) - 1)
        self.turn = 0
        self.ready = self.rank(tree, self.sizes[self.round])
        if not self.ready:
            self.considered = tree.node[0].count
            self.ready = self.rank(tree, self.sizes[self.round])
        self.considered = self.sizes[self.round]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rank(self, tree: TreeStorage, wanted: cython.int) -> cython.int:
        """Sort so many of the considered moves to the front, refuted ones left out; returns how
        many there are."""
        mix: cython.double
        low: cython.double
        high: cython.double
        most: cython.int
        mix, low, high, most = value_range(tree, 0)
        lift: cython.double = (VISIT_OFFSET + most) * VALUE_SCALE
        lift /= max(high - low, 1e-8)
        i: cython.int
        j: cython.int
        best: cython.int
        edge: cython.int
        top: cython.double
        value: cython.double
        for i in range(wanted):
            best, top = i, -INFINITY
            for j in range(i, self.considered):
                edge = tree.node[0].first + self.order[j]
                if tree.exact and is_refuted(tree, edge):
                    continue
                value = mix
                if tree.edge[edge].tries:
                    value = tree.edge[edge].total / tree.edge[edge].tries
                value = lift * (value - low) + log(max(tree.edge[edge].prior, MIN_PRIOR))
                value += self.noise[self.order[j]]
                if value > top:
                    best, top = j, value
            if top == -INFINITY:
                return i
            self.order[i], self.order[best] = self.order[best], self.order[i]
        return wanted


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.returns((cython.double, cython.double, cython.double, cython.int))
def value_range(tree: TreeStorage, node: cython.int) -> tuple[float, float, float, int]:
    """The mixed value of a node, its lowest and highest value, the most tries of a move.

    The mixed value belongs to the range: it is what the moves that were never tried count.
    """
    first: cython.int = tree.node[node].first
    edge: cython.int
    weight: cython.double = 0.0
    weighed: cython.double = 0.0
    value: cython.double
    mix: cython.double = tree.node[node].value
    low: cython.double = INFINITY
    high: cython.double = -INFINITY
    most: cython.int = 0
    tries: cython.int = tree.node[node].tries
    for edge in range(first, first + tree.node[node].count):
        if tree.edge[edge].tries:
            value = tree.edge[edge].total / tree.edge[edge].tries
            weight += max(tree.edge[edge].prior, MIN_PRIOR)
            weighed += max(tree.edge[edge].prior, MIN_PRIOR) * value
            low, high = min(low, value), max(high, value)
            most = max(most, tree.edge[edge].tries)
    if weight > 0:
        mix = (mix + tries * weighed / weight) / (tries + 1)
    return mix, min(low, mix), max(high, mix), most


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def choose_improved(tree: TreeStorage, node: cython.int) -> cython.int:
    """The edge whose share of the visits lags furthest behind the improved policy."""
    mix: cython.double
    low: cython.double
    high: cython.double
    most: cython.int
    mix, low, high, most = value_range(tree, node)
    lift: cython.double = (VISIT_OFFSET + most) * VALUE_SCALE / max(high - low, 1e-8)
    first: cython.int = tree.node[node].first
    edge: cython.int
    whole: cython.double = 0.0
    for edge in range(first, first + tree.node[node].count):
        if tree.exact and is_refuted(tree, edge):
            continue
        if tree.edge[edge].tries:
            whole += tree.edge[edge].prior * exp(
                lift * (tree.edge[edge].total / tree.edge[edge].tries - high)
            )
        else:
            whole += tree.edge[edge].prior * exp(lift * (mix - high))
    best: cython.int = first
    top: cython.double = -INFINITY
    value: cython.double
    for edge in range(first, first + tree.node[node].count):
        if tree.exact and is_refuted(tree, edge):
            continue
        value = mix
        if tree.edge[edge].tries:
            value = tree.edge[edge].total / tree.edge[edge].tries
        value = tree.edge[edge].prior * exp(lift * (value - high)) / max(whole, 1e-30)
        value -= tree.edge[edge].tries / (1.0 + tree.node[node].tries)
        if value > top:
            top, best = value, edge
    return best


def log_priors(priors: Floats) -> Floats:
    """The logarithms of the priors, finite for priors of 0."""
    import numpy as np

    logs: Floats = np.log(np.maximum(priors, MIN_PRIOR))
    return logs


def raised_values(
    value: float, visits: npt.NDArray[np.int32], priors: Floats, values: Floats
) -> Floats:
    """By how much a search raises the logarithm of each prior of a node that is worth ``value``."""
    import numpy as np

    tried = visits > 0
    total = int(visits.sum())
    mix = value
    if total:
        weights = np.where(tried, np.maximum(priors, MIN_PRIOR), 0.0)
        mix = (mix + total * float((weights * values).sum() / weights.sum())) / (total + 1)
    complete = np.where(tried, values, mix)
    low, high = complete.min(), complete.max()
    scaled = (complete - low) / max(high - low, 1e-8)
    raised: Floats = (VISIT_OFFSET + visits.max(initial=0)) * VALUE_SCALE * scaled
    return raised


def softmax(logits: Floats) -> Floats:
    import numpy as np

    powers = np.exp(logits - np.max(logits))
    normal: Floats = (powers / powers.sum()).astype(np.float32)
    return normal
