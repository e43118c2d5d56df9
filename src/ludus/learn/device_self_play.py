"""Self-play on the device: a wave of bouts, searched and sampled in one jitted program."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ludus.errors import LudusError
from ludus.learn import net, targets
from ludus.learn.device_search import GumbelResult, GumbelSearch
from ludus.learn.environments import BoutArrays, Environment
from ludus.learn.environments.environment import select_bouts
from ludus.learn.exact_results import solve_states
from ludus.learn.samples import Samples, flatten_wave, keep_likeliest_moves
from ludus.learn.settings import PlaySettings, SearchSettings
from ludus.workers.pool import WorkerPool

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
    lead: Array
    length: Array


PlayWave = Callable[[net.Weights, net.Weights, BoutArrays, Array], tuple[BoutArrays, WavePly]]
"""Folded network, an older one, bouts, key → bouts, plies."""
WaveCarry = tuple[BoutArrays, Array]
"""Bouts and the key of the next ply."""
PlyStep = Callable[[WaveCarry, None], tuple[WaveCarry, WavePly]]
EXACT_PLIES_PLAYED = 4
"""Plies with exact results that are played before a bout stops: what searches look at from earlier
positions should be known to the network."""
NEVER_PLY = 30_000
UNKNOWN_LEAD = 127
"""Stands for a lead that no solver has found."""


@cache
def make_wave(
    environment: Environment, shape: net.NetShape, searching: SearchSettings, play: PlaySettings
) -> PlayWave:
    """A jitted function that plays one wave."""
    full, quick = make_search(environment, searching), make_search(environment, searching.quickly())
    olds = int(play.old_share * play.bouts)
    stop_ply = first_exact_ply(environment, play) + EXACT_PLIES_PLAYED

    def ply(
        search: GumbelSearch, nets: tuple[net.Weights, net.Weights], carry: WaveCarry, _: None
    ) -> tuple[WaveCarry, WavePly]:
        bouts, key = carry
        key, for_noise, for_coin, for_start = jax.random.split(key, 4)
        noise = jax.random.gumbel(for_noise, (play.bouts, environment.actions))
        play_best = bouts.ply >= play.varied_plies
        result = search_bouts(search, shape, nets, bouts, noise, play_best, olds)
        action = randomise_first_moves(environment, bouts, result.action, noise, for_coin, play)
        after = environment.step(bouts, action)
        moves, chances = keep_likeliest_moves(result.policy)
        if search is quick:
            chances = jnp.zeros_like(chances)
        seen = targets.value_to_chances(result.value, result.wdl[:, 1], jnp)
        first = targets.for_mover(seen, bouts.seat, jnp)
        nothing = jnp.zeros(bouts.seat.shape, jnp.float16)
        cells = bouts.cells[:, : environment.sample_size]
        samples = Samples(cells, bouts.seat, bouts.ply, moves, chances, seen, nothing)
        ended = after.over | (after.ply >= stop_ply)
        lead = environment.lead(after).astype(jnp.float16)
        kept = WavePly(samples, first, ended, after.score, lead, after.ply)
        fresh = environment.start(play.bouts, for_start)
        return (select_bouts(ended, fresh, after), key), kept

    def wave(
        folded: net.Weights, old: net.Weights, bouts: BoutArrays, key: Array
    ) -> tuple[BoutArrays, WavePly]:
        play_full = partial(ply, full, (folded, old))
        play_quick = partial(ply, quick, (folded, old))
        (bouts, _), plies = scan_in_turns(
            play_full, play_quick, searching.quick_plies, (bouts, key), play.plies
        )
        return bouts, plies

    return jax.jit(wave, donate_argnums=2)


def make_search(environment: Environment, searching: SearchSettings) -> GumbelSearch:
    return GumbelSearch(environment, searching.considered, searching.simulations)


def scan_in_turns(
    first: PlyStep, then: PlyStep, repeats: int, carry: WaveCarry, length: int
) -> tuple[WaveCarry, WavePly]:
    """``jax.lax.scan`` with one step of ``first`` and ``repeats`` of ``then`` in turn."""
    if not repeats:
        return jax.lax.scan(first, carry, None, length)

    def turn(carry: WaveCarry, _: None) -> tuple[WaveCarry, WavePly]:
        carry, one = first(carry, None)
        carry, others = jax.lax.scan(then, carry, None, repeats)
        return carry, jax.tree.map(lambda x, more: jnp.concatenate([x[None], more]), one, others)

    carry, turns = jax.lax.scan(turn, carry, None, length // (repeats + 1))
    return carry, jax.tree.map(lambda x: x.reshape(length, *x.shape[2:]), turns)


def search_bouts(
    search: GumbelSearch,
    shape: net.NetShape,
    nets: tuple[net.Weights, net.Weights],
    bouts: BoutArrays,
    noise: Array,
    play_best: Array,
    olds: int,
) -> GumbelResult:
    """Search every bout; in the first ``olds`` an older network plays seat 0 or 1, by turns."""

    def by(tree: net.Weights, some: BoutArrays, drawn: Array, best: Array) -> GumbelResult:
        return search(lambda seen: net.forward(tree, shape, seen), some, drawn, best)

    result = by(nets[0], bouts, noise, play_best)
    if not olds:
        return result
    other = by(nets[1], jax.tree.map(lambda x: x[:olds], bouts), noise[:olds], play_best[:olds])
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


def first_exact_ply(environment: Environment, play: PlaySettings) -> int:
    """The ply from which positions get their exact result; beyond all plies if none does."""
    if not play.exact_plies:
        return NEVER_PLY
    if environment.solve is None:
        raise LudusError(
            f"play.exact_plies needs a solver, and these rules of {environment.name} have none",
            f"play.exact_plies 需要求解器，{environment.name} 的这套规则没有",
        )
    return environment.max_plies - play.exact_plies


def solve_plies(
    environment: Environment, play: PlaySettings, plies: WavePly, pool: WorkerPool
) -> Array | None:
    """The exact leads of seat 0 in a wave's late positions, by ply and bout."""
    if not play.exact_plies or environment.solve is None:
        return None
    late = np.asarray(plies.samples.ply) >= first_exact_ply(environment, play)
    states, seats = np.asarray(plies.samples.cells)[late], np.asarray(plies.samples.seat)[late]
    leads = np.full(late.shape, UNKNOWN_LEAD, np.int8)
    leads[late] = solve_states(environment.solve, states, seats, pool)
    return jnp.asarray(leads)


@partial(jax.jit, static_argnums=(2, 3))
def finish_wave(
    plies: WavePly, exact: Array | None, trust: float, margin_scale: float
) -> tuple[Samples, WaveTally]:
    """The samples of a wave with the results that they should predict, and its totals.

    ``exact`` are leads as ``solve_plies`` finds them.
    """
    known = jnp.zeros(plies.ended.shape, bool)
    if exact is not None:
        known = exact != UNKNOWN_LEAD
        plies = plies._replace(
            score=jnp.where(known, jnp.sign(exact), plies.score),
            lead=jnp.where(known, exact, plies.lead).astype(jnp.float16),
        )
    samples = add_results(plies, known, trust)
    samples = add_margins(samples, plies, known, margin_scale)
    return flatten_wave(samples), count_results(plies)


def add_results(plies: WavePly, known: Array, trust: float) -> Samples:
    """The samples with the result that each should predict; ``known``: its own score is exact."""

    def back(later: Array, ply: tuple[WavePly, Array]) -> tuple[Array, Array]:
        now, sure = ply
        result = targets.propagate_result(
            later, now.ended, now.score, now.search_chances, trust, jnp
        )
        result = jnp.where(sure[:, None], targets.score_to_chances(now.score, jnp), result)
        return result, result

    _, results = jax.lax.scan(back, plies.search_chances[-1], (plies, known), reverse=True)
    seen = targets.for_mover(results, plies.samples.seat, jnp)
    return plies.samples._replace(result=seen.astype(jnp.float16))


def add_margins(samples: Samples, plies: WavePly, known: Array, scale: float) -> Samples:
    """The samples with the margin that each should predict; unknown where the end is."""
    if scale <= 0:
        unknown = jnp.full(plies.lead.shape, targets.UNKNOWN_MARGIN, jnp.float16)
        return samples._replace(margin=unknown)

    def back(later: Array, ply: tuple[Array, Array]) -> tuple[Array, Array]:
        lead, ends = ply
        now = jnp.where(ends, lead, later)
        return now, now

    nothing = jnp.full(plies.lead.shape[1:], jnp.nan, jnp.float16)
    _, leads = jax.lax.scan(back, nothing, (plies.lead, plies.ended | known), reverse=True)
    margin = leads / scale * (1 - 2 * samples.seat)
    margin = jnp.where(jnp.isfinite(margin), margin, targets.UNKNOWN_MARGIN)
    return samples._replace(margin=margin.astype(jnp.float16))


def count_results(plies: WavePly) -> WaveTally:
    ended = plies.ended
    return WaveTally(
        ended.sum(),
        (ended & (plies.score > 0)).sum(),
        (ended & (plies.score == 0)).sum(),
        (ended * plies.length.astype(jnp.int32)).sum(),
    )
