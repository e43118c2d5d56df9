"""Mirrored pairs of bots whose gap is known: intervals and SPRT against the truth."""

from __future__ import annotations

import numpy as np

from ludus.rating.elo import ELO_PER_NATURAL_UNIT, expected_share
from ludus.rating.intervals import TAILS_95, share_distribution
from ludus.rating.scores import PairedScore
from ludus.rating.sprt import Sprt
from tests.support.simulated_bouts import PAIR_SCORES, Floats, compute_chances


def result_frequencies(strength: float, draws: float, lean: float, seat: float) -> Floats:
    """Of a pair's two results (lost, drawn, won), when openings favour a seat.

    They do so by N(``seat``, ``lean``). All in Elo, but ``draws``, which is Davidson's ν.
    """
    steps = np.linspace(-4, 4, 81)
    weight = np.exp(-(steps**2) / 2) / np.exp(-(steps**2) / 2).sum()
    opening = (seat + lean * steps) / ELO_PER_NATURAL_UNIT
    gap = strength / ELO_PER_NATURAL_UNIT
    one, other = (compute_chances(gap + side * opening, draws) for side in (1, -1))
    there, back = (np.array([p.loss, p.draw, p.win]) for p in (one, other))
    found: Floats = (there * weight) @ back.T
    return found


def kind_frequencies(
    strength: float, draws: float = 0.8, lean: float = 60.0, seat: float = 0.0
) -> Floats:
    """Of the five kinds of pairs."""
    results = np.fliplr(result_frequencies(strength, draws, lean, seat))
    return np.array([results.trace(offset) for offset in range(2, -3, -1)])


def pair_frequencies(elo: float) -> Floats:
    """The same when the mean score is that of ``elo``."""
    low, high = -800.0, 800.0
    for _ in range(60):
        strength = (low + high) / 2
        found = kind_frequencies(strength)
        too_weak = found @ PAIR_SCORES < expected_share(elo)
        low, high = (strength, high) if too_weak else (low, strength)
    return found


def share_covered(frequencies: Floats, pairs: int, matches: int, seed: int = 17) -> float:
    """How many of simulated matches have an interval that holds the true share of points."""
    truth = float(frequencies @ PAIR_SCORES)
    drawn = np.random.default_rng(seed).multinomial(pairs, frequencies, size=matches)
    kinds, times = np.unique(drawn, axis=0, return_counts=True)
    below = [share_distribution(PairedScore(tuple(map(int, row)))).cdf(truth) for row in kinds]
    low, high = TAILS_95  # to ask where the truth lies is quicker than to ask for both ends
    inside = [low <= each <= high for each in below]
    return float(times[inside].sum()) / matches


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
        llr = np.array([test.llr(row) for row in counts[live].tolist()])
        better[live[llr >= test.upper]] = True
        live = live[(llr > test.lower) & (llr < test.upper)]
    return float(better.mean()), float(counts.sum(axis=1).mean())
