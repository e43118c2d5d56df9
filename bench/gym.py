"""Steps of environments per CPU second, against PettingZoo's and OpenSpiel's, on one core.

    .venv/bin/python bench/gym.py PEERS_PYTHON [--quick]

PEERS_PYTHON is an interpreter with ``pip install open_spiel "pettingzoo[classic]"``. Every step
plays a random legal action and reads a mask and an observation, unless the row says otherwise. The
single environments are played by the very same loops as the others' (bench/gym_peers.py).
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from gym_peers import aec_bout, rate, spiel_bout

from ludus.compat.gym import aec_env, load_game
from ludus.compat.gym.vector import VectorBouts

BOUTS = 256
PEERS = Path(__file__).with_name("gym_peers.py")


def vector_rate(game: str, seconds: float, **options: Any) -> float:
    """Steps of all bouts together per CPU second, best of three runs."""
    bouts = VectorBouts(game, BOUTS, **options)
    bouts.reset(seed=1)
    best = 0.0
    for _ in range(3):
        steps, began = 0, time.process_time()
        while time.process_time() - began < seconds:
            bouts.step(bouts.sample())
            steps += BOUTS
        best = max(best, steps / (time.process_time() - began))
    return best


def measure(seconds: float) -> dict[str, float]:
    found = {
        f"Ludus {game}, {BOUTS} bouts in lockstep": vector_rate(game, seconds)
        for game in ("reversi", "tablut", "ataxx")
    }
    reversi = load_game("reversi")
    env = aec_env("reversi")
    return found | {
        "Ludus reversi, OpenSpiel's words": rate(lambda: spiel_bout(reversi, True), seconds),
        "Ludus reversi, AEC": rate(lambda: aec_bout(env), seconds),
    }


def measure_peers(python: str, seconds: float) -> dict[str, float]:
    done = subprocess.run([python, str(PEERS), str(seconds)], capture_output=True, check=True)
    rates: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return rates


def report(found: dict[str, float]) -> str:
    lines = ["| environment | steps per CPU s |", "|---|---|"]
    lines += [f"| {name} | {round(rate, -2):,.0f} |" for name, rate in found.items()]
    return "\n".join([f"Python {platform.python_version()}, one core", "", *lines])


if __name__ == "__main__":
    arguments = [word for word in sys.argv[1:] if not word.startswith("--")]
    if len(arguments) != 1:
        sys.exit(__doc__)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    length = 0.3 if "--quick" in sys.argv else 2.0
    results = measure(length) | measure_peers(arguments[0], length)
    print(json.dumps(results) if "--json" in sys.argv else report(results))
