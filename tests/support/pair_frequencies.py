"""How often SPRT is wrong, by simulation."""

from __future__ import annotations

import numpy as np

from ludus.rating.chances import Floats, compute_chances
from ludus.rating.elo import ELO_PER_NATURAL_UNIT, expected_share
from ludus.rating.sprt import PAIR_SCORES, Sprt


def pair_frequencies(elo: float) -> Floats:
    """Of the five kinds of pairs, when seeds favour seats and the mean score is that of ``elo``."""
    lean = np.linspace(-3, 3, 61)
    weight = np.exp(-(lean**2) / 2)
    weight /= weight.sum()
    low, high = -5.0, 5.0
    for _ in range(60):
        d = (low + high) / 2
        one, other = (
            compute_chances(d + 60 * lean / ELO_PER_NATURAL_UNIT, 0.8),
            compute_chances(d - 60 * lean / ELO_PER_NATURAL_UNIT, 0.8),
        )
        found = np.zeros(5)
        for i, p in enumerate((one.loss, one.draw, one.win)):
            for j, q in enumerate((other.loss, other.draw, other.win)):
                found[i + j] += float((weight * p * q).sum())
        low, high = (d, high) if found @ PAIR_SCORES < expected_share(elo) else (low, d)
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
