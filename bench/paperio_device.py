"""Paper.io on an accelerator: does it agree with the rules, and how fast is it?

python -m bench.paperio_device rules [POSITIONS]      compares with the compiled rules
python -m bench.paperio_device speed [BOUTS] [PLIES]  of moves, views and waves
"""

from __future__ import annotations

import sys
import time
from typing import Any

import jax
import jax.numpy as jnp

from bench.learn_device import timed
from ludus.games import get
from ludus.learn import policy_net
from ludus.learn.environments import make_environment
from ludus.learn.policy_self_play import make_policy_wave, start_bouts
from ludus.learn.policy_step import create_policy_state, make_policy_steps
from ludus.learn.policy_trainer import make_policy_shape
from ludus.learn.settings import load_settings
from tests.support.paperio_rules import compare_rules

FIELDS: list[tuple[dict[str, Any], float]] = [
    ({"k": 7, "h": 7, "turns": 12}, 0.25),
    ({"k": 9, "h": 17, "turns": 60}, 0.25),
    ({"k": 15, "h": 25, "turns": 300}, 0.25),
    ({}, 0.25),
]
"""Options, and which share of the positions is compared on them."""


def check_rules(positions: int) -> None:
    for number, (given, share) in enumerate(FIELDS):
        compared, ends = compare_rules(given, round(positions * share), 256, seed=number)
        print(f"{given or 'default'}: {compared:,} positions agree; ends {dict(ends)}", flush=True)


def measure_speed(bouts: int, plies: int) -> None:
    """Milliseconds of one ply of all bouts by what it consists of, and whole waves."""
    game = get("paperio")
    changes = {"play.bouts": str(bouts), "play.plies": str(plies)}
    settings = load_settings("gpu", changes, "paperio")
    environment: Any = make_environment(game, game.Options())
    shape = make_policy_shape(environment, settings.net)
    state = create_policy_state(shape, settings.learn, jax.random.key(0))
    play = make_policy_wave(environment, shape, settings.policy, settings.play)
    learn = make_policy_steps(shape, settings.policy, settings.learn)
    now = start_bouts(environment, jax.random.key(1), bouts, 0.5)
    old = jax.tree.map(jnp.copy, state.weights)
    for wave in range(4):
        began = time.perf_counter()
        now, samples, _ = play(state.weights, old, now, jax.random.key(wave))
        jax.block_until_ready(now)
        played = time.perf_counter()
        state, metrics = learn(state, samples, jnp.asarray(bouts * plies), jax.random.key(wave))
        jax.block_until_ready(metrics)
        learned = time.perf_counter() - played
        print(
            f"wave {wave}: {bouts * plies / (played - began):,.0f} plies/s,"
            f" {settings.learn.steps} steps in {learned:.2f} s",
            flush=True,
        )
    view = jax.jit(environment.observe)
    seen = view(now)
    ask = jax.jit(lambda weights, view: policy_net.forward(weights, shape, view.seen, view.facts))
    step = jax.jit(environment.step)
    drawn = jax.random.randint(jax.random.key(2), (bouts,), 0, 3)
    for name, work in (
        ("step", lambda: step(now, drawn)),
        ("view", lambda: view(now)),
        ("network", lambda: ask(state.weights, seen)),
    ):
        print(f"{name}: {1000 * timed(work):.2f} ms for {bouts:,} bouts", flush=True)


def main() -> None:
    what, *given = sys.argv[1:] or ["speed"]
    numbers = [int(word) for word in given]
    if what == "rules":
        check_rules(*(numbers or [100_000]))
    else:
        measure_speed(*(*numbers, *(8192, 64)[len(numbers) :]))


if __name__ == "__main__":
    main()
