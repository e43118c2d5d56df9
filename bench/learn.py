"""How fast trees and networks search on one core.

    .venv/bin/python bench/learn.py [--quick] [--json]

Everything is per second of CPU time, best of several runs.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from ludus.games import get
from ludus.games.openings import play_opening, resolve_openings
from ludus.learn import tree as tree_module
from ludus.learn.opponents import evaluate_trees
from ludus.learn.search import SearchParameters, begin_search, make_tree
from ludus.learn.tree import Tree

GAME = get("tablut")
OPENINGS = resolve_openings("random:6", GAME, GAME.Options())
ORIGINAL = {"constant": 610, "net": 238}
"""Simulations per CPU second of the original, 200 to a move."""


def best(measure: Callable[[], float], runs: int) -> float:
    return max(measure() for _ in range(runs))


def positions(count: int) -> list[Any]:
    """Positions after some random moves."""
    return [
        GAME.search_position(play_opening(GAME, GAME.Options(), seed, OPENINGS.draw(seed)))
        for seed in range(count)
    ]


def constant_rate(simulations: int, rollouts: bool = False) -> float:
    """With a network that says the same of everything, or with random bouts."""
    places = positions(20)
    began = time.process_time()
    for number, place in enumerate(places):
        Tree(place, seed=number).think(simulations, rollouts)
    return len(places) * simulations / (time.process_time() - began)


def net_rate(blocks: int, channels: int, style: SearchParameters, bouts: int) -> dict[str, float]:
    """With a real network in onnxruntime: many bouts in lockstep, three moves each."""
    import jax

    from ludus.learn import net
    from ludus.learn.environments import make_environment
    from ludus.learn.export import export_onnx
    from ludus.learn.onnx_net import OnnxNet

    where = make_environment(GAME, GAME.Options())
    shape = net.make_shape(where, blocks, channels)
    weights, running = net.create_weights(shape, jax.random.key(1))
    weights["answers"]["weights"] *= 100  # untrained networks are too even to be typical
    session = OnnxNet(export_onnx(weights, running, shape, {"game": "tablut"}))
    generator = np.random.default_rng(1)
    places = positions(bouts)
    asked = made = 0
    began = time.process_time()
    for _ in range(3):
        trees = [make_tree(place, style) for place in places]
        evaluate_trees(trees, session, 1)
        for each in trees:
            begin_search(each, style, generator)
        while busy := [each for each in trees if not each.done]:
            evaluate_trees(busy, session, style.width)
        for place, each in zip(places, trees, strict=True):
            place.play(each.moves()[each.best()])
        asked += sum(each.asked for each in trees)
        made += bouts * style.simulations
    spent = time.process_time() - began
    return {"simulations": made / spent, "evaluations": asked / spent}


def measure(quick: bool) -> dict[str, Any]:
    runs = 2 if quick else 5
    found: dict[str, Any] = {
        "constant net, 200 simulations": best(lambda: constant_rate(200), runs),
        "constant net, 800 simulations": best(lambda: constant_rate(800), runs),
        "random bouts, 800 simulations": best(lambda: constant_rate(800, True), runs),
    }
    styles = {
        "PUCT, 200 simulations": SearchParameters(simulations=200, unseen=0.2),
        "Gumbel, 16 simulations": SearchParameters(simulations=16, gumbel=True, considered=8),
    }
    for name, style in styles.items():
        rates = [net_rate(3, 32, style, 64) for _ in range(max(1, runs - 2))]
        top = max(rates, key=lambda rate: rate["simulations"])
        found[f"3×32 net, {name}"] = top["simulations"]
        found[f"… of them evaluated ({name})"] = top["evaluations"]
    return found


def report(found: dict[str, Any]) -> str:
    compiled = not str(tree_module.__file__).endswith(".py")
    lines = ["| what, per CPU second of one core | measured |", "|---|---|"]
    lines += [f"| {what} | {rate:,.0f} |" for what, rate in found.items()]
    machine = f"Python {platform.python_version()}, {os.cpu_count()} cores, compiled: {compiled}"
    return "\n".join([machine, "", *lines])


if __name__ == "__main__":
    results = measure("--quick" in sys.argv)
    print(json.dumps(results) if "--json" in sys.argv else report(results))
