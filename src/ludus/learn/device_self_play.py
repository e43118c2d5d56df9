"""Self-play on the device: a wave of bouts, searched and sampled in one jitted program."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import jax
import jax.numpy as jnp

from ludus.learn import net, targets
from ludus.learn.device_search import GumbelResult, GumbelSearch
from ludus.learn.environments import BoutArrays, Environment
from ludus.learn.environments.environment import select_bouts
from ludus.learn.samples import Samples, flatten_wave, keep_likeliest_moves
from ludus.learn.settings import PlaySettings, SearchSettings

Array = jax.Array


class WaveTally(NamedTuple):
    """Totals of a wave."""

    bouts: Array
    """Bouts that ended."""
    won: Array
    """Bouts won by seat 0."""
    drawn: Array
    plies: Array
    """Their lengths together."""


class WavePly(NamedTuple):
    """One ply of every bout, as it is kept until the results are known."""

    samples: Samples
    search_chances: Array
    """The value by the search, as probabilities for seat 0."""
    ended: Array
    score: Array
    length: Array


PlayWave = Callable[
    [net.Weights, net.Weights, BoutArrays, Array], tuple[BoutArrays, Samples, WaveTally]
]
"""Folded network, an older one, bouts, key → bouts, samples, tally."""


@cache
def make_wave(
    environment: Environment, shape: net.NetShape, searching: SearchSettings, play: PlaySettings
) -> PlayWave:
    """A jitted function that plays one wave."""
    search = GumbelSearch(environment, searching.considered, searching.simulations)
    olds = int(play.old_share * play.bouts)

    def ply(
        nets: tuple[net.Weights, net.Weights], carry: tuple[BoutArrays, Array], _: None
    ) -> tuple[tuple[BoutArrays, Array], WavePly]:
        bouts, key = carry
        key, for_noise, for_coin = jax.random.split(key, 3)
        noise = jax.random.gumbel(for_noise, (play.bouts, environment.actions))
        result = search_bouts(search, shape, nets, bouts, noise, olds)
        action = randomise_first_moves(environment, bouts, result.action, noise, for_coin, play)
        after = environment.step(bouts, action)
        moves, chances = keep_likeliest_moves(result.policy)
        seen = targets.value_to_chances(result.value, result.wdl[:, 1], jnp)
        first = targets.for_mover(seen, bouts.seat, jnp)
        samples = Samples(bouts.cells, bouts.seat, bouts.ply, moves, chances, seen)
        kept = WavePly(samples, first, after.over, after.score, after.ply)
        return (select_bouts(after.over, environment.start(play.bouts), after), key), kept

    def wave(
        folded: net.Weights, old: net.Weights, bouts: BoutArrays, key: Array
    ) -> tuple[BoutArrays, Samples, WaveTally]:
        (bouts, _), plies = jax.lax.scan(
            lambda carry, x: ply((folded, old), carry, x), (bouts, key), None, play.plies
        )
        return bouts, flatten_wave(add_results(plies, play.trust)), count_results(plies)

    return jax.jit(wave, donate_argnums=2)


def search_bouts(
    search: GumbelSearch,
    shape: net.NetShape,
    nets: tuple[net.Weights, net.Weights],
    bouts: BoutArrays,
    noise: Array,
    olds: int,
) -> GumbelResult:
    """Search every bout; in the first ``olds`` an older network plays seat 0 or 1, by turns."""

    def by(tree: net.Weights, some: BoutArrays, drawn: Array) -> GumbelResult:
        return search(lambda seen: net.forward(tree, shape, seen), some, drawn)

    result = by(nets[0], bouts, noise)
    if not olds:
        return result
    other = by(nets[1], jax.tree.map(lambda x: x[:olds], bouts), noise[:olds])
    turn = bouts.seat[:olds] == jnp.arange(olds) % 2

    def mix(new: Array, old: Array) -> Array:
        where = turn.reshape((olds,) + (1,) * (new.ndim - 1))
        return new.at[:olds].set(jnp.where(where, old, new[:olds]))

    return GumbelResult(*map(mix, result, other))


def randomise_first_moves(
    environment: Environment,
    bouts: BoutArrays,
    action: Array,
    noise: Array,
    key: Array,
    play: PlaySettings,
) -> Array:
    """Replace some moves at the beginning of bouts by random ones."""
    if play.random_plies <= 0 or play.random_share <= 0:
        return action
    coin = jax.random.uniform(key, action.shape) < play.random_share
    any_move = jnp.argmax(jnp.where(environment.legal(bouts), noise, -jnp.inf), 1)
    return jnp.where(coin & (bouts.ply < play.random_plies), any_move, action)


def add_results(plies: WavePly, trust: float) -> Samples:
    """The samples with the result that each should predict."""

    def back(later: Array, now: WavePly) -> tuple[Array, Array]:
        result = targets.propagate_result(
            later, now.ended, now.score, now.search_chances, trust, jnp
        )
        return result, result

    _, results = jax.lax.scan(back, plies.search_chances[-1], plies, reverse=True)
    seen = targets.for_mover(results, plies.samples.seat, jnp)
    return plies.samples._replace(result=seen.astype(jnp.float16))


def count_results(plies: WavePly) -> WaveTally:
    ended = plies.ended
    return WaveTally(
        ended.sum(),
        (ended & (plies.score > 0)).sum(),
        (ended & (plies.score == 0)).sum(),
        (ended * plies.length.astype(jnp.int32)).sum(),
    )
