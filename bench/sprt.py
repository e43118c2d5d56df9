"""How often is a sequential test wrong? ``python -m bench.sprt [RUNS]``.

Simulated versions of a known difference play mirrored pairs, on seeds that favour one seat or the
other, until the test answers.
"""

from __future__ import annotations

import sys

from ludus.rating.sprt import Sprt
from tests.support.pair_frequencies import share_better

CLAIMS = ((0.0, 50.0, 1), (0.0, 20.0, 4), (0.0, 10.0, 4))
"""elo0, elo1, and after how many pairs the test is asked."""


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    for elo0, elo1, step in CLAIMS:
        test = Sprt(elo0, elo1)
        wrong_yes, pairs = share_better(elo0, test, runs, step, seed=11)
        yes, more = share_better(elo1, test, runs, step, seed=12)
        print(
            f"{elo0:g} or {elo1:g} Elo, asked after {step} pairs, {runs} runs:"
            f' wrong "better" {wrong_yes:.1%}, wrong "not better" {1 - yes:.1%};'
            f" {pairs:.0f} and {more:.0f} pairs",
            flush=True,
        )


if __name__ == "__main__":
    main()
