"""How strong the fixed rivals of the yardstick are: everyone against everyone.

    .venv/bin/python bench/anchors.py [bouts=100] [RIVAL…]

Random openings, each from both sides; ratings by maximum likelihood (half a win and half a loss
added to every pair), alpha-beta of depth 2 at 1500. What it prints is ANCHORS in
src/ludus/learn/evaluation.py.
"""

from __future__ import annotations

import itertools
import os
import sys

from ludus.games import get
from ludus.learn.evaluation import ANCHORS, choose_openings, measure
from ludus.learn.opponents import find_opponent, make_search_pool
from ludus.rating.elo import ANCHOR_ELO, ELO_PER_NATURAL_UNIT, expected_share
from ludus.rating.scores import WinDrawLoss

GAME = get("tablut")
FIXED = "depth:2"
Table = dict[tuple[str, str], WinDrawLoss]


def played(names: list[str], bouts: int) -> Table:
    """The result of every pair."""
    options, found = GAME.Options(), {}
    pool = make_search_pool(os.cpu_count() or 1)
    for one, other in itertools.combinations(names, 2):
        players = [
            find_opponent(name, GAME, options, pool, seed) for seed, name in enumerate((one, other))
        ]
        measured = measure(
            GAME,
            options,
            players[0],
            players[1],
            bouts,
            openings=choose_openings("", GAME, options),
        )
        found[one, other] = measured.result
        seats = "  ".join(f"{seat.won}-{seat.drawn}-{seat.lost}" for seat in measured.seats)
        print(f"{one} against {other}: {measured.result.share:.1%}  by seat {seats}", flush=True)
    if pool is not None:
        pool.shutdown()
    return found


def ratings(names: list[str], table: Table) -> dict[str, float]:
    """Ratings that explain the results, by Newton's method on one player after the other."""
    found = dict.fromkeys(names, ANCHOR_ELO)
    for _ in range(3000):
        for name in names:
            slope = curve = 0.0
            for (one, other), result in table.items():
                if name not in (one, other):
                    continue
                rival = other if name == one else one
                points = result.points if name == one else result.bouts - result.points
                share = expected_share(found[name] - found[rival])
                slope += points + 0.5 - (result.bouts + 1) * share
                curve += (result.bouts + 1) * share * (1 - share)
            found[name] += max(-50.0, min(50.0, slope / max(curve, 1e-9) * ELO_PER_NATURAL_UNIT))
    return {name: value - found[FIXED] + ANCHOR_ELO for name, value in found.items()}


if __name__ == "__main__":
    given = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
    wanted = [word for word in sys.argv[1:] if "=" not in word] or list(ANCHORS[GAME.name])
    table = played(wanted, int(given.get("bouts", 100)))
    for name, value in ratings(wanted, table).items():
        print(f'"{name}": {value:.0f},')
