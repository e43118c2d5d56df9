"""How fast self-play is on an accelerator, and where the time goes.

    PYTHONPATH=src python bench/learn_device.py [SECONDS] [FOLDER OF A RUN] [learn.waves=… …]

Without a network the weights are random. Every figure is of whole waves: sampling, resets and the
export of samples to the host included.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ludus.games import get
from ludus.learn import checkpoint, net
from ludus.learn.device_search import GumbelSearch
from ludus.learn.environments import make_environment
from ludus.learn.self_play_engine import DeviceEngine
from ludus.learn.settings import TrainingSettings, load_settings
from ludus.learn.train_step import create_train_state


def timed(work: Callable[[], Any], runs: int = 5) -> float:
    """Seconds, the median of several runs after one that compiles."""
    jax.block_until_ready(work())
    spent = []
    for _ in range(runs):
        began = time.perf_counter()
        jax.block_until_ready(work())
        spent.append(time.perf_counter() - began)
    return sorted(spent)[runs // 2]


def parts(settings: TrainingSettings, folded: Any, engine: DeviceEngine) -> dict[str, float]:
    """Milliseconds of one ply of all bouts, by what it consists of."""
    where, shape = engine.environment, engine.shape
    search = GumbelSearch(where, settings.search.considered, settings.search.simulations)
    bouts = engine.bouts
    count = settings.play.bouts
    noise = jax.random.gumbel(jax.random.key(0), (count, where.actions))
    leaves = {
        lanes: jax.tree.map(lambda x, n=lanes: jnp.repeat(x, n, 0), bouts)
        for lanes in set(search.rounds)
    }
    answer = jax.jit(lambda tree, some: net.forward(tree, shape, where.observe(some)))
    step = jax.jit(lambda some: where.step(some, jnp.argmax(where.legal(some), 1)))
    look = jax.jit(
        lambda tree, some, drawn: search(lambda seen: net.forward(tree, shape, seen), some, drawn)
    )
    evaluate = jax.jit(
        lambda tree, some: search.evaluate(lambda seen: net.forward(tree, shape, seen), some)
    )
    nets = timed(lambda: answer(folded, bouts))
    nets += sum(timed(partial(answer, folded, leaves[n])) for n in search.rounds)
    whole = timed(lambda: answer(folded, bouts))
    whole += sum(timed(partial(evaluate, folded, leaves[n])) for n in search.rounds)
    steps = sum(timed(partial(step, leaves[n])) for n in search.rounds)
    searched = timed(lambda: look(folded, bouts, noise))
    drawn = timed(lambda: jax.random.gumbel(jax.random.key(1), (count, where.actions)))
    return {
        "network alone": 1e3 * nets,
        "network, legal moves and likeliest moves": 1e3 * whole,
        "rules (steps)": 1e3 * steps,
        "search in all": 1e3 * searched,
        "luck": 1e3 * drawn,
    }


def run(seconds: float, settings: TrainingSettings, source: str) -> dict[str, Any]:
    game = get(settings.game)
    where = make_environment(game, game.Options.parse(settings.options))
    shape = net.make_shape_by(where, settings.net)
    train_state = create_train_state(shape, settings.learn, jax.random.key(1))
    if source:
        kept = checkpoint.list_checkpoints(Path(source))[-1]
        train_state = checkpoint.load_trees(kept, {"train_state": train_state})["train_state"]
    engine = DeviceEngine(where, shape, settings)
    began = time.perf_counter()
    samples, _ = engine.play(train_state, 0)
    jax.block_until_ready(samples)
    compiled = time.perf_counter() - began
    for number in range(1, 4):  # leave the openings behind
        samples, _ = engine.play(train_state, number)
    jax.block_until_ready(samples)
    waves, exported = 0, 0
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        samples, tally = engine.play(train_state, 10 + waves)
        exported += sum(np.asarray(each).nbytes for each in samples)
        waves += 1
    spent = time.perf_counter() - began
    plies = waves * settings.play.bouts * settings.play.plies
    folded = engine.fold(train_state.weights, train_state.running)
    return {
        "device": jax.devices()[0].device_kind,
        "compiling": compiled,
        "seconds": spent,
        "waves": waves,
        "positions/s": plies / spent,
        "simulations/s": plies * settings.search.simulations / spent,
        "exported MB/s": exported / spent / 1e6,
        "ms per ply": 1e3 * spent / (waves * settings.play.plies),
        "parts, ms per ply": parts(settings, folded, engine),
        "tally": tally,
    }


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if "=" not in word]
    changes = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
    game_name = changes.pop("game", "tablut")
    chosen = load_settings("gpu", changes, game_name)
    made = run(float(words[0]) if words else 60.0, chosen, words[1] if words[1:] else "")
    print(json.dumps(made, indent=1))
