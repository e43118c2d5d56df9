"""Self-play of Reversi beside pgx's Othello with mctx's Gumbel search, in one run on one device.

    pip install --no-deps --target FOLDER pgx mctx chex svgwrite
    PYTHONPATH=src:FOLDER python -m bench.pgx_othello [options]

Both play with the same network (its weights, its three planes, bfloat16), as many bouts side by
side, as many simulations a move and as many considered moves, and take turns for ``--seconds``
each, ``--rounds`` times. A wave is one compiled program that plays ``--plies`` moves of every
bout and leaves behind the samples a learner needs; new bouts begin where old ones end. Only the
rules and the search differ: here 32 simulations are a few batches of leaves, there one leaf of
every bout after the other. In Othello of pgx a pass is a move of its own, which the same search
looks at; here it is skipped. All four packages are pure Python and not part of Ludus.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from ludus.games import get
from ludus.learn import net
from ludus.learn.device_self_play import finish_wave, make_wave
from ludus.learn.environments import make_environment
from ludus.learn.settings import NetSettings, PlaySettings, SearchSettings

PASS_LOGIT = 0.0
"""Of the one move that the network has no logit for; it is legal only where no other move is."""
LOWEST = -1e9
PlayWaves = Callable[[int], Any]
"""Play the wave of that number, and return what must be there when it is over."""


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.pgx_othello",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--blocks", type=int, default=6)
    parser.add_argument("--channels", type=int, default=64)
    parser.add_argument("--bouts", type=int, default=4096)
    parser.add_argument("--plies", type=int, default=32)
    parser.add_argument("--simulations", type=int, default=32)
    parser.add_argument("--considered", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


def make_ours(given: argparse.Namespace, shape: net.NetShape, folded: Any) -> PlayWaves:
    """Waves of Ludus."""
    environment = reversi()
    search = SearchSettings(simulations=given.simulations, considered=given.considered)
    play = PlaySettings(bouts=given.bouts, plies=given.plies, random_plies=0)
    wave = make_wave(environment, shape, search, play)
    bouts = environment.start(given.bouts)

    def play_wave(number: int) -> Any:
        nonlocal bouts
        bouts, plies = wave(folded, folded, bouts, jax.random.key(number))
        return finish_wave(plies, None, play.trust, environment.margin_scale)

    return play_wave


def make_theirs(given: argparse.Namespace, shape: net.NetShape, folded: Any) -> PlayWaves:
    """Waves of pgx and mctx."""
    import mctx
    import pgx
    from pgx.experimental import auto_reset

    othello = pgx.make("othello")
    step, renewing_step = jax.vmap(othello.step), jax.vmap(auto_reset(othello.step, othello.init))

    def answer(tree: Any, state: Any) -> tuple[Any, Any]:
        """Logits of 65 moves and the value for the mover."""
        legal = state.legal_action_mask
        choices = legal[:, :64].reshape(-1, 8, 8, 1)
        seen = jnp.concatenate([state.observation, choices], -1).astype(jnp.bfloat16)
        logits, wdl = net.forward(tree, shape, seen)
        logits = jnp.concatenate([logits, jnp.full((len(logits), 1), PASS_LOGIT)], 1)
        return jnp.where(legal, logits, LOWEST), net.expected_result(wdl)

    def follow(tree: Any, key: Any, action: Any, state: Any) -> tuple[Any, Any]:
        mover = state.current_player
        state = step(state, action)
        logits, value = answer(tree, state)
        reward = state.rewards[jnp.arange(len(mover)), mover]
        output = mctx.RecurrentFnOutput(
            reward=reward,
            discount=jnp.where(state.terminated, 0.0, -1.0),
            prior_logits=logits,
            value=jnp.where(state.terminated, 0.0, value),
        )
        return output, state

    def ply(tree: Any, state: Any, key: Any) -> tuple[Any, Any]:
        for_search, for_start = jax.random.split(key)
        logits, value = answer(tree, state)
        found = mctx.gumbel_muzero_policy(
            params=tree,
            rng_key=for_search,
            root=mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state),
            recurrent_fn=follow,
            num_simulations=given.simulations,
            invalid_actions=~state.legal_action_mask,
            max_num_considered_actions=given.considered,
        )
        after = renewing_step(state, found.action, jax.random.split(for_start, given.bouts))
        kept = (state.observation, found.action_weights, after.rewards, after.terminated)
        return after, (*kept, found.search_tree.summary().value)

    @jax.jit
    def wave(tree: Any, state: Any, key: Any) -> tuple[Any, Any]:
        return jax.lax.scan(lambda s, k: ply(tree, s, k), state, jax.random.split(key, given.plies))

    state = jax.vmap(othello.init)(jax.random.split(jax.random.key(0), given.bouts))

    def play_wave(number: int) -> Any:
        nonlocal state
        state, samples = wave(folded, state, jax.random.key(number))
        return samples

    return play_wave


def reversi() -> Any:
    game = get("reversi")
    return make_environment(game, game.Options())


def measure_compiling(play_wave: PlayWaves) -> float:
    """The seconds of the first wave."""
    began = time.perf_counter()
    jax.block_until_ready(play_wave(0))
    return time.perf_counter() - began


def measure_waves(play_wave: PlayWaves, first: int, seconds: float) -> tuple[int, float]:
    """Waves played in about so many seconds, and the seconds."""
    waves, began = 0, time.perf_counter()
    while waves == 0 or time.perf_counter() - began < seconds:
        jax.block_until_ready(play_wave(first + waves))
        waves += 1
    return waves, time.perf_counter() - began


def main() -> None:
    given = parse_arguments()
    settings = NetSettings(given.blocks, given.channels)
    shape = net.make_shape_by(reversi(), settings)
    weights, running = jax.jit(net.create_weights, static_argnums=0)(shape, jax.random.key(1))
    folded = jax.jit(net.fold)(weights, running)
    players = {
        "ludus": make_ours(given, shape, folded),
        "pgx + mctx": make_theirs(given, shape, folded),
    }
    row: dict[str, Any] = {"device": jax.devices()[0].device_kind, **vars(given)}
    row["first wave, s"] = {name: measure_compiling(play) for name, play in players.items()}
    rates: dict[str, list[float]] = {name: [] for name in players}
    simulations = given.bouts * given.plies * given.simulations
    for number in range(given.rounds):
        for name, play in players.items():
            waves, seconds = measure_waves(play, 1 + 1000 * number, given.seconds)
            rates[name].append(round(waves * simulations / seconds))
            print(f"{name}: {rates[name][-1]:,} simulations/s", file=sys.stderr, flush=True)
    row["simulations/s"] = rates
    middle = {name: sorted(each)[len(each) // 2] for name, each in rates.items()}
    row["ludus / pgx + mctx"] = round(middle["ludus"] / middle["pgx + mctx"], 3)
    print(json.dumps(row))


if __name__ == "__main__":
    main()
