"""Self-play by the policy alone, on the device: a wave of moves in one jitted program.

In a bout of thousands of moves with three choices each, a search of a few moves says little about
which of them is better: what pays or kills comes dozens of moves later. So moves are drawn from
the policy, and what happened after them, discounted, tells how good they were.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import jax
import jax.numpy as jnp

from ludus.learn import policy_net
from ludus.learn.environments.paperio import PaperBouts, PaperEnvironment
from ludus.learn.paperio_view import PaperView
from ludus.learn.policy_net import PolicyShape, Weights
from ludus.learn.samples import flatten_wave
from ludus.learn.settings import PlaySettings, PolicySettings

Array = jax.Array
ILLEGAL_LOGIT = -1e9


class PolicySamples(NamedTuple):
    """Many samples; every field has one row for each."""

    seen: Array
    facts: Array
    """float16"""
    legal: Array
    action: Array
    """The action that was drawn, int8 …"""
    log_chance: Array
    """… and the logarithm of its probability."""
    advantage: Array
    """How much better it went than expected, for the mover."""
    goal: Array
    """What the value should have been."""
    weight: Array
    """0 for moves of an older network, from which nothing is learned; else 1."""


class PolicyTally(NamedTuple):
    """Totals of a wave."""

    bouts: Array
    """Bouts that ended."""
    won: Array
    """Bouts won by seat 0."""
    drawn: Array
    plies: Array
    """Their lengths together."""
    killed: Array
    """Bouts that ended before their last turn."""
    land: Array
    """The land of all seats in all bouts that ended."""


class PolicyPly(NamedTuple):
    """One ply of every bout, as it is kept until advantages are known."""

    view: PaperView
    action: Array
    log_chance: Array
    value: Array
    reward: Array
    """What the mover gained by its move."""
    ended: Array
    weight: Array
    tally: PolicyTally


PlayPolicyWave = Callable[
    [Weights, Weights, PaperBouts, Array], tuple[PaperBouts, PolicySamples, PolicyTally]
]
"""Network, an older one, bouts, key → bouts, samples, tally."""


@cache
def make_policy_wave(
    environment: PaperEnvironment, shape: PolicyShape, policy: PolicySettings, play: PlaySettings
) -> PlayPolicyWave:
    """A jitted function that plays one wave."""
    olds = int(play.old_share * play.bouts)

    def ply(
        nets: tuple[Weights, Weights], bouts: PaperBouts, key: Array
    ) -> tuple[PaperBouts, PolicyPly]:
        for_move, for_start = jax.random.split(key)
        view = environment.observe(bouts)
        logits, value, weight = ask_networks(shape, nets, bouts, view, olds)
        log = jax.nn.log_softmax(jnp.where(view.legal, logits, ILLEGAL_LOGIT))
        action = jax.random.categorical(for_move, log)
        after = environment.step(bouts, action)
        mover = 1 - 2 * (bouts.ply & 1)
        gained = environment.lead(after) - environment.lead(bouts)
        reward = mover * (policy.land_weight * gained + after.score)
        kept = PolicyPly(
            view._replace(facts=view.facts.astype(jnp.float16)),
            action.astype(jnp.int8),
            jnp.take_along_axis(log, action[:, None], 1)[:, 0],
            value,
            reward,
            after.over,
            weight,
            count_ends(environment, after),
        )
        fresh = start_bouts(environment, for_start, play.bouts, policy.short_share)
        return select(after.over, fresh, after), kept

    def wave(
        weights: Weights, old: Weights, bouts: PaperBouts, key: Array
    ) -> tuple[PaperBouts, PolicySamples, PolicyTally]:
        bouts, plies = jax.lax.scan(
            lambda bouts, key: ply((weights, old), bouts, key),
            bouts,
            jax.random.split(key, play.plies),
        )
        view = environment.observe(bouts)
        _, last = policy_net.forward(weights, shape, view.seen, view.facts)
        advantage = estimate_advantages(
            plies.reward, plies.value, plies.ended, last, policy.discount, policy.trace
        )
        samples = PolicySamples(
            *plies.view,
            plies.action,
            plies.log_chance,
            advantage,
            advantage + plies.value,
            plies.weight,
        )
        return bouts, flatten_wave(samples), jax.tree.map(jnp.sum, plies.tally)

    return jax.jit(wave, donate_argnums=2)


def ask_networks(
    shape: PolicyShape,
    nets: tuple[Weights, Weights],
    bouts: PaperBouts,
    view: PaperView,
    olds: int,
) -> tuple[Array, Array, Array]:
    """Logits, values and weights of samples; in the first ``olds`` bouts an older network plays
    seat 0 or 1, by turns."""
    logits, value = policy_net.forward(nets[0], shape, view.seen, view.facts)
    weight = jnp.ones(len(value), bool)
    if olds:
        other, _ = policy_net.forward(nets[1], shape, view.seen[:olds], view.facts[:olds])
        turn = (bouts.ply[:olds] & 1) == jnp.arange(olds) % 2
        logits = logits.at[:olds].set(jnp.where(turn[:, None], other, logits[:olds]))
        weight = weight.at[:olds].set(~turn)
    return logits, value, weight


def start_bouts(
    environment: PaperEnvironment, key: Array, count: int, short_share: float
) -> PaperBouts:
    """New bouts, of which a share begins as if part of the turns was already over, so that ends
    of bouts are seen early and all the time."""
    for_starts, for_share, for_ply = jax.random.split(key, 3)
    bouts = environment.start(for_starts, count)
    turns = environment.max_plies // 2
    skipped = 2 * jax.random.randint(for_ply, (count,), 0, max(turns - turns // 16, 1))
    short = jax.random.uniform(for_share, (count,)) < short_share
    return bouts._replace(ply=jnp.where(short, skipped, 0).astype(jnp.int32))


def select(where: Array, new: PaperBouts, old: PaperBouts) -> PaperBouts:
    """The rows of ``new`` where a condition holds, else those of ``old``."""

    def pick(a: Array, b: Array) -> Array:
        return jnp.where(where.reshape(where.shape + (1,) * (a.ndim - 1)), a, b)

    return PaperBouts(*map(pick, new, old))


def estimate_advantages(
    reward: Array, value: Array, ended: Array, last: Array, discount: float, trace: float
) -> Array:
    """Generalised advantages, by ply and bout, each for its mover.

    Seats alternate and the game is zero-sum, so what comes after a ply counts with its sign
    changed; ``last`` is the value of the position after the last ply, for its own mover.
    """

    def back(
        later: tuple[Array, Array], now: tuple[Array, Array, Array]
    ) -> tuple[tuple[Array, Array], Array]:
        next_value, next_advantage = later
        reward, value, ended = now
        goes_on = jnp.where(ended, 0.0, discount)
        surprise = reward - goes_on * next_value - value
        advantage = surprise - goes_on * trace * next_advantage
        return (value, advantage), advantage

    first = (last, jnp.zeros_like(last))
    _, advantages = jax.lax.scan(back, first, (reward, value, ended), reverse=True)
    return advantages


def count_ends(environment: PaperEnvironment, after: PaperBouts) -> PolicyTally:
    """The totals of the bouts that have just ended."""
    over = after.over
    return PolicyTally(
        over.sum(),
        (over & (after.score > 0)).sum(),
        (over & (after.score == 0)).sum(),
        (over * after.ply).sum(),
        (over & (after.ply < environment.max_plies)).sum(),
        (over[:, None] * after.area).sum(),
    )
