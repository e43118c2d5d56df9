"""How many bouts until every rating is good to ±25 Elo? ``python -m bench.matchmaking [BOTS]``.

Bots with known strengths play on a simulated ladder, round after round. Three ways to choose who
meets whom are compared: at random, the nearest in rating, and Ludus' own
(``ludus.contest.matchmaking``). The error is the mean distance of the ratings, fitted to all bouts
so far, from the truth.
"""

from __future__ import annotations

import sys

import numpy as np

from tests.support.matchmaking import (
    SPREAD,
    WAYS,
    errors,
)

TARGET = 25.0


def bouts_needed(way: str, bots: int, target: float = TARGET, seed: int = 1) -> float:
    """Interpolated between the two ratings around the target."""
    truth = np.random.default_rng((seed, bots)).normal(0, SPREAD, bots)
    before = (0, SPREAD)
    for now in errors(truth, WAYS[way], 5000, seed):
        if now[1] <= target:
            share = (before[1] - target) / (before[1] - now[1])
            return before[0] + share * (now[0] - before[0])
        before = now
    raise AssertionError(f"{way} pairing never reached ±{target} Elo")


def main() -> None:
    bots = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    needed = {}
    for way in WAYS:
        needed[way] = bouts_needed(way, bots)
        share = needed[way] / needed["random"]
        each = 2 * needed[way] / bots
        print(f"{way:8} {needed[way]:>12,.0f} bouts  {each:6.0f} per bot  {share:6.1%}", flush=True)


if __name__ == "__main__":
    main()
