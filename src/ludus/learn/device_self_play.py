"""Self-play on the device: a wave of bouts, searched and sampled in one jitted program."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import jax
import jax.numpy as jnp

from ludus.learn import net, targets
from ludus.learn.environments import Bouts, World
from ludus.learn.environments.environment import choose
from ludus.learn.gumbel import Found, Search
from ludus.learn.samples import Samples, flat, sparse
from ludus.learn.settings import PlaySettings, SearchSettings

Array = jax.Array


class Tally(NamedTuple):
    """What happened in a wave."""

    bouts: Array
    """Bouts that ended."""
    won: Array
    """By seat 0."""
    drawn: Array
    plies: Array
    """Their lengths together."""


class Ply(NamedTuple):
    """One ply of every bout, as it is kept until the results are known."""

    samples: Samples
    said: Array
    """By the search, as chances for seat 0."""
    ended: Array
    score: Array
    length: Array


Wave = Callable[[net.Tree, net.Tree, Bouts, Array], tuple[Bouts, Samples, Tally]]
"""Folded network, an older one, bouts, key → bouts, samples, tally."""


@cache
def wave_of(world: World, shape: net.Shape, searching: SearchSettings, play: PlaySettings) -> Wave:
    """A jitted function that plays one wave."""
    search = Search(world, searching.considered, searching.simulations)
    olds = int(play.old_share * play.bouts)

    def ply(
        nets: tuple[net.Tree, net.Tree], carry: tuple[Bouts, Array], _: None
    ) -> tuple[tuple[Bouts, Array], Ply]:
        bouts, key = carry
        key, for_luck, for_coin = jax.random.split(key, 3)
        luck = jax.random.gumbel(for_luck, (play.bouts, world.actions))
        found = look(search, shape, nets, bouts, luck, olds)
        action = stir(world, bouts, found.action, luck, for_coin, play)
        after = world.step(bouts, action)
        moves, chances = sparse(found.policy)
        seen = targets.guess(found.value, found.wdl[:, 1], jnp)
        first = targets.for_mover(seen, bouts.seat, jnp)
        samples = Samples(bouts.cells, bouts.seat, bouts.ply, moves, chances, seen)
        kept = Ply(samples, first, after.over, after.score, after.ply)
        return (choose(after.over, world.start(play.bouts), after), key), kept

    def wave(
        folded: net.Tree, old: net.Tree, bouts: Bouts, key: Array
    ) -> tuple[Bouts, Samples, Tally]:
        (bouts, _), plies = jax.lax.scan(
            lambda carry, x: ply((folded, old), carry, x), (bouts, key), None, play.plies
        )
        return bouts, flat(with_results(plies, play.trust)), tally(plies)

    return jax.jit(wave, donate_argnums=2)


def look(
    search: Search,
    shape: net.Shape,
    nets: tuple[net.Tree, net.Tree],
    bouts: Bouts,
    luck: Array,
    olds: int,
) -> Found:
    """Search every bout; in the first ``olds`` an older network plays seat 0 or 1, by turns."""

    def by(tree: net.Tree, some: Bouts, drawn: Array) -> Found:
        return search(lambda seen: net.answer(tree, shape, seen), some, drawn)

    found = by(nets[0], bouts, luck)
    if not olds:
        return found
    other = by(nets[1], jax.tree.map(lambda x: x[:olds], bouts), luck[:olds])
    turn = bouts.seat[:olds] == jnp.arange(olds) % 2

    def mix(new: Array, old: Array) -> Array:
        where = turn.reshape((olds,) + (1,) * (new.ndim - 1))
        return new.at[:olds].set(jnp.where(where, old, new[:olds]))

    return Found(*map(mix, found, other))


def stir(
    world: World, bouts: Bouts, action: Array, luck: Array, key: Array, play: PlaySettings
) -> Array:
    """Replace some moves at the beginning of bouts by random ones."""
    if play.random_plies <= 0 or play.random_share <= 0:
        return action
    coin = jax.random.uniform(key, action.shape) < play.random_share
    any_move = jnp.argmax(jnp.where(world.legal(bouts), luck, -jnp.inf), 1)
    return jnp.where(coin & (bouts.ply < play.random_plies), any_move, action)


def with_results(plies: Ply, trust: float) -> Samples:
    """The samples with the result each should foresee."""

    def back(later: Array, now: Ply) -> tuple[Array, Array]:
        result = targets.earlier(later, now.ended, now.score, now.said, trust, jnp)
        return result, result

    _, results = jax.lax.scan(back, plies.said[-1], plies, reverse=True)
    seen = targets.for_mover(results, plies.samples.seat, jnp)
    return plies.samples._replace(result=seen.astype(jnp.float16))


def tally(plies: Ply) -> Tally:
    ended = plies.ended
    return Tally(
        ended.sum(),
        (ended & (plies.score > 0)).sum(),
        (ended & (plies.score == 0)).sum(),
        (ended * plies.length.astype(jnp.int32)).sum(),
    )
