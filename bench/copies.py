"""Are intervals and sequential tests right for bots that always do the same?

``python -m bench.copies [MATCHES]``. Simulated bots of a known gap play mirrored pairs, on openings
that favour one seat or the other, which occur more than once. Deterministic bots then repeat their
bouts, mixed ones half of them. The figures in brackets are the figures if copies are counted.
"""

from __future__ import annotations

import sys

from ludus.rating.sprt import Sprt
from tests.support.simulated_matches import (
    SimulatedBots,
    SimulatedMatches,
    decide_matches,
    share_of_matches_covered,
)

BY_HEART = {"random": 0.0, "mixed": 0.5, "deterministic": 1.0}
OPENINGS = {
    "balanced openings": (50.0, 0.0),
    "openings decide": (350.0, 0.0),
    "the first seat is better": (100.0, 300.0),
}
INTERVALS = ((60, 40), (200, 100), (400, 100))
"""Pairs and openings."""
TEST = Sprt(0, 50)


def measure_intervals(bots: SimulatedBots, matches: int) -> list[str]:
    cells = []
    for pairs, book in INTERVALS:
        played = SimulatedMatches.play(bots.with_gap(100), matches, pairs, book)
        truth = bots.with_gap(100).share
        kept, all_ = (
            share_of_matches_covered(played.count_kinds(drop=drop), truth) for drop in (True, False)
        )
        cells.append(f"{kept:.1%} ({all_:.1%})")
    return cells


def measure_sprt(bots: SimulatedBots, matches: int) -> list[str]:
    cells = []
    for gap, wrong in ((TEST.elo0, 0), (TEST.elo1, 1)):
        played = SimulatedMatches.play(bots.with_gap(gap), matches, 300, 300, seed=18)
        kept, all_ = (decide_matches(played, TEST, drop=drop)[wrong] for drop in (True, False))
        cells.append(f"{kept:.1%} ({all_:.1%})")
    return cells


def main() -> None:
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    heads = [f"{pairs} pairs, {book} openings" for pairs, book in INTERVALS]
    heads += ["SPRT: wrong “better”", "wrong “not better”"]
    print("| bots |", *(f"{head} |" for head in heads))
    print("|---|", "---|" * len(heads), sep="")
    for kind, by_heart in BY_HEART.items():
        for openings, (lean, seat) in OPENINGS.items():
            bots = SimulatedBots(0.0, lean=lean, seat=seat, by_heart=by_heart)
            cells = measure_intervals(bots, matches) + measure_sprt(bots, matches)
            print(f"| {kind}, {openings} |", *(f"{cell} |" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
