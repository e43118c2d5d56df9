"""How often is a sequential test wrong? ``python -m bench.sprt [RUNS]``.

Simulated versions of a known difference play mirrored pairs, on seeds that favour one seat or the
other, until the test answers.
"""

from __future__ import annotations

import sys

import numpy as np

from ludus.contest.rating import ELO, Floats, chances
from ludus.contest.sprt import VALUES, Sprt, expected

CLAIMS = ((0.0, 50.0, 1), (0.0, 20.0, 4), (0.0, 10.0, 4))
"""elo0, elo1, and after how many pairs the test is asked."""


def pair_frequencies(elo: float) -> Floats:
    """Of the five kinds of pairs, when seeds favour seats and the mean score is that of ``elo``."""
    lean = np.linspace(-3, 3, 61)
    weight = np.exp(-(lean**2) / 2)
    weight /= weight.sum()
    low, high = -5.0, 5.0
    for _ in range(60):
        d = (low + high) / 2
        one, other = chances(d + 60 * lean / ELO, 0.8), chances(d - 60 * lean / ELO, 0.8)
        found = np.zeros(5)
        for i, p in enumerate((one.loss, one.draw, one.win)):
            for j, q in enumerate((other.loss, other.draw, other.win)):
                found[i + j] += float((weight * p * q).sum())
        low, high = (d, high) if found @ VALUES < expected(elo) else (low, d)
    return found


def share_better(
    true: float, test: Sprt, runs: int = 2000, step: int = 4, seed: int = 3
) -> tuple[float, float]:
    """How often the test says "better", and how many pairs it takes; asked after ``step`` pairs."""
    rng = np.random.default_rng(seed)
    frequencies = pair_frequencies(true)
    counts = np.zeros((runs, 5))
    better = np.zeros(runs, bool)
    live = np.arange(runs)
    while len(live):
        counts[live] += rng.multinomial(step, frequencies, size=len(live))
        llr = np.asarray(test.llr(counts[live]))
        better[live[llr >= test.upper]] = True
        live = live[(llr > test.lower) & (llr < test.upper)]
    return float(better.mean()), float(counts.sum(axis=1).mean())


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
