"""Is the new version better? A sequential test on mirrored pairs of bouts.

Two bouts on the same seed with the seats swapped make a pair, which gives the new version 0, ½, 1,
1½ or 2 points. Counting pairs instead of bouts takes the luck of the seed out of the comparison.
The test compares two claims about the mean: that of ``elo0`` and that of ``elo1``. After every pair
it computes how much likelier one claim makes what was seen (the generalised log-likelihood ratio:
for each claim the five frequencies are those that fit best with the claimed mean) and stops when
the ratio leaves the bounds that Wald found for the wanted chances of error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ludus.errors import LudusError
from ludus.rating.bradley_terry import Z_SCORE_95, Floats, normal_cdf

PAIR_SCORES: Floats = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
"""Score per bout of each kind of pair."""
UNSEEN_PAIR_COUNT = 1e-3
"""Stands for the count of a kind of pair that has not occurred yet."""

SprtDecision = Literal["better", "not better", "open"]


@dataclass(frozen=True, slots=True)
class Sprt:
    """What is asked, and how sure the answer shall be."""

    elo0: float = 0.0
    elo1: float = 5.0
    alpha: float = 0.05
    """The chance of "better" when ``elo0`` is true."""
    beta: float = 0.05
    """The chance of "not better" when ``elo1`` is true."""

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise LudusError(
                f"elo1 must be above elo0, got {self.elo0:g} and {self.elo1:g}",
                f"elo1 必须大于 elo0，得到 {self.elo0:g} 与 {self.elo1:g}",
            )
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise LudusError(
                f"alpha and beta lie between 0 and 0.5, got {self.alpha:g} and {self.beta:g}",
                f"alpha 与 beta 须在 0 与 0.5 之间，得到 {self.alpha:g} 与 {self.beta:g}",
            )

    @property
    def lower(self) -> float:
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: Sequence[float] | Floats) -> Any:
        """The log-likelihood ratio of counts of the five kinds; also for many rows at once."""
        counts = np.maximum(np.asarray(pairs, float), UNSEEN_PAIR_COUNT)
        ratio = log_likelihood_ratio(counts, expected_score(self.elo0), expected_score(self.elo1))
        return float(ratio) if ratio.ndim == 0 else ratio

    def decide(self, pairs: Sequence[float]) -> SprtDecision:
        if sum(pairs) == 0:
            return "open"
        llr = self.llr(pairs)
        return "better" if llr >= self.upper else "not better" if llr <= self.lower else "open"


def expected_score(elo: float) -> float:
    """The score that a difference in strength means."""
    return 1 / (1 + 10 ** (-elo / 400))


def log_likelihood_ratio(counts: Floats, mean0: float, mean1: float) -> Floats:
    """log P(counts | mean1) − log P(counts | mean0), each with its best-fitting frequencies."""
    total = counts.sum(axis=-1, keepdims=True)
    seen = counts / total
    log0, log1 = (np.log(_fit_frequencies(seen, mean)) for mean in (mean0, mean1))
    found: Floats = (counts * (log1 - log0)).sum(axis=-1)
    return found


def _fit_frequencies(seen: Floats, mean: float) -> Floats:
    """The likeliest frequencies with this mean, given those seen.

    They are ``seen / (1 + t·(value − mean))`` for the one ``t`` that gives them this mean, which
    lies where all denominators are positive. The equation falls in ``t``: Newton's steps find it,
    and halving where such a step would leave the bounds.
    """
    off = PAIR_SCORES - mean
    inside = 1 - 1e-12
    low = np.full((*seen.shape[:-1], 1), -inside / off.max())
    high = np.full_like(low, -inside / off.min())
    t = np.zeros_like(low)
    for _ in range(50):
        shares = off / (1 + t * off)
        value = (seen * shares).sum(axis=-1, keepdims=True)
        low, high = np.where(value > 0, t, low), np.where(value > 0, high, t)
        step = value / (seen * shares**2).sum(axis=-1, keepdims=True)
        there = t + step
        t = np.where((there >= low) & (there <= high), there, (low + high) / 2)
        if np.abs(step).max() < 1e-12:
            break
    fit = seen / (1 + t * off)
    found: Floats = fit / fit.sum(axis=-1, keepdims=True)
    return found


@dataclass(frozen=True, slots=True)
class StrengthGap:
    """How much better the new version is, with its 95 % interval and the likelihood that it is."""

    elo: float
    low: float
    high: float
    better: float


def estimate_gap(pairs: Sequence[float]) -> StrengthGap | None:
    """From counts of pairs; None without any."""
    counts = np.asarray(pairs, float)
    total = float(counts.sum())
    if not total:
        return None
    counts = np.maximum(counts, UNSEEN_PAIR_COUNT)
    mean = float(counts @ PAIR_SCORES) / counts.sum()
    error = math.sqrt(float(counts @ (PAIR_SCORES - mean) ** 2) / counts.sum() / total)
    low, high = mean - Z_SCORE_95 * error, mean + Z_SCORE_95 * error
    better = normal_cdf((mean - 0.5) / error) if error else 0.5
    return StrengthGap(elo_from_score(mean), elo_from_score(low), elo_from_score(high), better)


def elo_from_score(score: float) -> float:
    """The difference in strength at which a score is to be expected."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return -400 * math.log10(1 / score - 1)


def pair_kind(one: float, other: float) -> int:
    """Which of the five kinds a pair is, from what the new version got in its two bouts."""
    return round(2 * (one + other))
