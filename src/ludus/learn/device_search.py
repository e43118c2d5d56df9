"""Gumbel search with sequential halving for thousands of bouts at once, on the device.

Sequential halving fixes in advance how often each considered move of a root is tried, whatever
the values turn out to be. So a search is a few *rounds*: in each, the moves that are still
considered (*lanes*) are all tried once more, and their leaves are evaluated in one batch: 16
simulations of 8 moves are 4 evaluations in a row (8, 4, 2 and 2 leaves), not 16.

Below a lane's first move the moves of a position are tried in the order of their priors, because
moves that were never tried all count alike. A position met in round r has at most R - r - 1 tries
left, so the few most likely moves are all that is kept of its policy, and no step of the descent
looks at more than a handful of numbers.

All bouts of a batch share one plan: where a bout has fewer legal moves than lanes, the others stay
idle, while the tree on the CPU would spend their simulations on the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from ludus.learn.environments import BoutArrays, Environment
from ludus.learn.net import expected_result
from ludus.learn.tree_gumbel import round_sizes

Array = jax.Array
EvaluateFunction = Callable[[Array], tuple[Array, Array]]
"""Inputs of positions → logits of actions, logits of win, draw and loss."""
ILLEGAL_LOGIT = -1e9
optimization_barrier: Callable[[Any], Any] = jax.lax.optimization_barrier
"""Keeps the compiler from fusing steps, which multiplies their work."""
MAX_VISIT_OFFSET = 50.0
VALUE_SCALE = 0.1


class GumbelResult(NamedTuple):
    """The result of a search, for every bout."""

    action: Array
    """The move to play."""
    policy: Array
    """The policy that the search recommends, over all actions."""
    value: Array
    """What the position is worth to its mover."""
    wdl: Array
    """The probabilities of win, draw and loss by the network alone."""


class Nodes(NamedTuple):
    """The trees below the lanes; axes are bout, lane and node, in the order of their rounds."""

    bouts: BoutArrays
    visits: Array
    score: Array
    """The sum of the values backed up, for seat 0."""
    raw: Array
    """The value by the network, for seat 0."""
    moves: Array
    """The most likely moves, best first …"""
    chances: Array
    """… and their priors."""
    tried: Array
    """How many of them were tried."""
    child: Array
    """The node that each of them led to."""


def top_scores(scores: Array, count: int) -> tuple[Array, Array]:
    """The indices and values of the highest scores of each row, highest first.

    A few passes over the rows; sorting them takes many times as long.
    """
    places, values = [], []
    row = jnp.arange(scores.shape[-1])
    for _ in range(count):
        place = jnp.argmax(scores, axis=-1)
        values.append(jnp.max(scores, axis=-1))
        places.append(place)
        scores = jnp.where(row == place[..., None], -jnp.inf, scores)
    return jnp.stack(places, -1).astype(jnp.int32), jnp.stack(values, -1)


def take_along(table: Array, index: Array, axis: int) -> Array:
    """The entries of one axis that an index of as many axes, and one more at most, asks for."""
    lead = (1,) * (table.ndim - axis - 1)
    if index.ndim > axis:
        return jnp.take_along_axis(table, index.reshape(index.shape + lead), axis=axis)
    wide = index.reshape(*index.shape, 1, *lead)
    return jnp.take_along_axis(table, wide, axis=axis).squeeze(axis)


def take_nodes(table: Array, index: Array) -> Array:
    """``table[b, l, index[b, l]]``; of more than one index, ``table[b, l, index[b, l, k]]``."""
    return take_along(table, index, 2)


def take_lanes(table: Array, index: Array) -> Array:
    """``table[b, index[b, k]]``."""
    return take_along(table, index, 1)


def seat_sign(seat: Array) -> Array:
    return 1.0 - 2.0 * seat


class GumbelSearch:
    """A search of fixed size in one environment, to be called inside a jitted function."""

    def __init__(self, environment: Environment, considered: int, simulations: int) -> None:
        self.environment = environment
        self.rounds = round_sizes(considered, simulations)
        self.max_nodes = len(self.rounds)
        self.max_moves = max(1, self.max_nodes - 1)
        """How many moves of a node could ever be tried."""

    def __call__(
        self,
        answer: EvaluateFunction,
        bouts: BoutArrays,
        noise: Array,
        play_best: Array | None = None,
    ) -> GumbelResult:
        """Search every bout; ``noise`` has a Gumbel number for each action, or zeros.

        Where ``play_best`` holds, the noise decides only which moves are considered, and the best
        of them is played.
        """
        environment = self.environment
        logits, wdl = answer(environment.observe(bouts))
        legal = environment.legal(bouts)
        log = jax.nn.log_softmax(jnp.where(legal, logits, ILLEGAL_LOGIT))
        value = expected_result(wdl)
        action, hope = top_scores(jnp.where(legal, log + noise, ILLEGAL_LOGIT), self.rounds[0])
        real = hope > ILLEGAL_LOGIT / 2
        prior = jnp.where(real, jnp.exp(jnp.take_along_axis(log, action, 1)), 0.0)
        if play_best is not None:
            calm = jnp.where(real, jnp.take_along_axis(log, action, 1), ILLEGAL_LOGIT)
            hope = jnp.where(play_best[:, None], calm, hope)
        log, action, hope, prior = optimization_barrier((log, action, hope, prior))
        visits = jnp.zeros(action.shape)
        worths = jnp.zeros(action.shape)
        lane = jnp.broadcast_to(jnp.arange(action.shape[1]), action.shape)
        nodes: Nodes | None = None
        mover = seat_sign(bouts.seat)[:, None]
        for number, count in enumerate(self.rounds):
            if nodes is None:
                nodes = self.make_first_nodes(answer, bouts, action)
            else:
                score = hope + self.improve_logits(value, prior, visits, worths)[0]
                score = jnp.where(real, score, ILLEGAL_LOGIT)
                kept, _ = top_scores(take_lanes(score, lane), count)
                lane = take_lanes(lane, kept)
                nodes = jax.tree.map(lambda t, k=kept: take_lanes(t, k), nodes)
                nodes = self.expand(answer, nodes, number)
            nodes = optimization_barrier(nodes)
            here = lane[:, :, None] == jnp.arange(action.shape[1])
            seen, total = nodes.visits[:, :, 0], nodes.score[:, :, 0]
            mean = mover * total / jnp.maximum(seen, 1)
            touched = here.any(1)
            visits = jnp.where(touched & real, (here * seen[:, :, None]).sum(1), visits)
            worths = jnp.where(touched, (here * mean[:, :, None]).sum(1), worths)
        lifted, base, mix = self.improve_logits(value, prior, visits, worths)
        most = visits == visits.max(1, keepdims=True)
        last = jnp.argmax(jnp.where(most & real, hope + lifted, -jnp.inf), 1)
        chosen = jnp.take_along_axis(action, last[:, None], 1)[:, 0]
        rows = jnp.arange(action.shape[0])[:, None]
        raised = (log + base).at[rows, action].add(jnp.where(real, lifted - base, 0.0))
        policy = jax.nn.softmax(jnp.where(legal, raised, ILLEGAL_LOGIT))
        return GumbelResult(chosen, policy, mix, jax.nn.softmax(wdl))

    def improve_logits(
        self, value: Array, prior: Array, visits: Array, worths: Array
    ) -> tuple[Array, Array, Array]:
        """How far the values raise the logits of tried moves and of others; and the value."""
        tried = visits > 0
        total = visits.sum(1)
        weight = jnp.where(tried, jnp.maximum(prior, 1e-9), 0.0)
        mean = (weight * worths).sum(1) / jnp.maximum(weight.sum(1), 1e-9)
        mix = (value + total * mean) / (total + 1)
        low = jnp.minimum(jnp.where(tried, worths, jnp.inf).min(1), mix)
        high = jnp.maximum(jnp.where(tried, worths, -jnp.inf).max(1), mix)
        factor = (MAX_VISIT_OFFSET + visits.max(1)) * VALUE_SCALE / jnp.maximum(high - low, 1e-8)
        known = jnp.where(tried, worths, mix[:, None])
        lifted = factor[:, None] * (known - low[:, None])
        return lifted, (factor * (mix - low))[:, None], mix

    def evaluate(self, answer: EvaluateFunction, bouts: BoutArrays) -> tuple[Array, Array, Array]:
        """For a flat batch: the value of each for seat 0, its likeliest moves, their priors."""
        logits, wdl = answer(self.environment.observe(bouts))
        legal = self.environment.legal(bouts)
        masked = jnp.where(legal, logits, ILLEGAL_LOGIT)
        whole = jax.nn.logsumexp(masked, axis=1, keepdims=True)
        moves, tops = top_scores(masked, self.max_moves)
        chances = jnp.where(tops > ILLEGAL_LOGIT / 2, jnp.exp(tops - whole), 0.0)
        score = jnp.where(bouts.over, bouts.score, expected_result(wdl) * seat_sign(bouts.seat))
        return score, moves, chances

    def make_first_nodes(self, answer: EvaluateFunction, bouts: BoutArrays, action: Array) -> Nodes:
        """The first round: every lane's first node."""
        count, lanes = action.shape
        many = jax.tree.map(lambda x: jnp.repeat(x, lanes, axis=0), bouts)
        after = self.environment.step(many, action.reshape(-1))
        score, moves, chances = self.evaluate(answer, after)
        return self.make_nodes(after, score, moves, chances, count, lanes)

    def make_nodes(
        self, after: BoutArrays, score: Array, moves: Array, chances: Array, count: int, lanes: int
    ) -> Nodes:
        def first(values: Array) -> Array:
            table = values.reshape(count, lanes, 1, *values.shape[1:])
            room = [(0, 0), (0, 0), (0, self.max_nodes - 1)] + [(0, 0)] * (values.ndim - 1)
            return jnp.pad(table, room)

        once = first(jnp.ones_like(score))
        none = jnp.zeros((count, lanes, self.max_nodes), jnp.int32)
        return Nodes(
            jax.tree.map(first, after),
            once,
            first(score),
            first(score),
            first(moves),
            first(chances),
            none,
            jnp.zeros((count, lanes, self.max_nodes, self.max_moves), jnp.int32),
        )

    def expand(self, answer: EvaluateFunction, nodes: Nodes, number: int) -> Nodes:
        """A later round: descend in every lane, evaluate a new leaf, update the nodes above it."""
        count, lanes = nodes.tried.shape[:2]
        node, rank, path = self.descend(nodes, number)
        parent: BoutArrays = jax.tree.map(lambda t: take_nodes(t, node), nodes.bouts)
        move = take_nodes(take_nodes(nodes.moves, node), rank)
        flat: BoutArrays = jax.tree.map(lambda x: x.reshape(count * lanes, *x.shape[2:]), parent)
        after = self.environment.step(flat, move.reshape(-1))
        score, moves, chances = self.evaluate(answer, after)
        new = ~parent.over
        score = score.reshape(count, lanes)  # where the parent is over it is the parent's own
        place = jnp.arange(self.max_nodes)
        path = path | (new[:, :, None] & (place == number))
        opened = new[:, :, None] & (place == node[:, :, None])
        edge = opened[..., None] & (jnp.arange(self.max_moves) == rank[:, :, None, None])

        def put(table: Array, values: Array) -> Array:
            return table.at[:, :, number].set(values.reshape(count, lanes, *values.shape[1:]))

        return Nodes(
            jax.tree.map(put, nodes.bouts, after),
            nodes.visits + path,
            nodes.score + path * score[:, :, None],
            nodes.raw.at[:, :, number].set(score),
            put(nodes.moves, moves),
            put(nodes.chances, chances),
            nodes.tried + opened,
            jnp.where(edge, number, nodes.child),
        )

    def descend(self, nodes: Nodes, number: int) -> tuple[Array, Array, Array]:
        """From each lane's first node to one that is over or opens a new move.

        Returns that node, the rank of the move, and the nodes on the path.
        """
        shape = nodes.tried.shape[:2]
        place = jnp.arange(self.max_nodes)

        def down(_: int, now: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
            node, path, stopped = now
            rank = self.choose(nodes, node)
            stopped = (
                stopped
                | (rank >= take_nodes(nodes.tried, node))
                | take_nodes(nodes.bouts.over, node)
            )
            node = jnp.where(stopped, node, take_nodes(take_nodes(nodes.child, node), rank))
            return node, path | (place == node[:, :, None]), stopped

        first = jnp.zeros(shape, jnp.int32)
        now = (
            first,
            jnp.broadcast_to(place == 0, (*shape, self.max_nodes)),
            jnp.zeros(shape, bool),
        )
        node, path, _ = jax.lax.fori_loop(0, number - 1, down, now)
        return node, self.choose(nodes, node), path

    def choose(self, nodes: Nodes, node: Array) -> Array:
        """The rank of the move to follow: tried least, measured by the improved policy."""
        tables = (nodes.child, nodes.chances, nodes.tried, nodes.bouts.seat, nodes.raw)
        child, chances, count, seat, raw = optimization_barrier(
            tuple(take_nodes(table, node) for table in tables)
        )
        tried = jnp.arange(self.max_moves) < count[:, :, None]
        visits, score = optimization_barrier(
            (take_nodes(nodes.visits, child), take_nodes(nodes.score, child))
        )
        visits = jnp.where(tried, visits, 0.0)
        mover = seat_sign(seat)[:, :, None]
        worths = mover * score / jnp.maximum(visits, 1)
        raw = mover[:, :, 0] * raw
        flat = (-1, self.max_moves)
        lifted, base, _ = self.improve_logits(
            raw.reshape(-1), chances.reshape(flat), visits.reshape(flat), worths.reshape(flat)
        )
        lifted, base = optimization_barrier(
            (lifted.reshape(chances.shape), base.reshape(*node.shape, 1))
        )
        top = jnp.maximum(jnp.where(tried, lifted, -jnp.inf).max(2, keepdims=True), base)
        power = chances * jnp.exp(jnp.where(tried, lifted, base) - top)
        others = 1 - jnp.where(tried, chances, 0.0).sum(2, keepdims=True)
        whole = jnp.where(tried, power, 0.0).sum(2, keepdims=True)
        whole = whole + jnp.maximum(others, 0.0) * jnp.exp(base - top)
        excess = power / jnp.maximum(whole, 1e-9) - visits / (1 + visits.sum(2, keepdims=True))
        next_one = jnp.arange(self.max_moves) == count[:, :, None]
        able = tried | (next_one & (chances > 0))
        return jnp.argmax(jnp.where(able, excess, -jnp.inf), 2).astype(jnp.int32)
