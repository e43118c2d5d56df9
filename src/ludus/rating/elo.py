"""Strength in numbers: Elo differences with honest intervals, and the document's own formula."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

ANCHOR_ELO = 1500.0
"""The rating of the anchor: alpha-beta of depth 2."""


class WinDrawLoss(NamedTuple):
    """Bouts won, drawn and lost."""

    won: int
    drawn: int
    lost: int

    @property
    def bouts(self) -> int:
        return self.won + self.drawn + self.lost

    @property
    def points(self) -> float:
        return self.won + self.drawn / 2

    @property
    def share(self) -> float:
        """Of the points; ½ when nothing was played."""
        return self.points / self.bouts if self.bouts else 0.5

    def add(self, other: WinDrawLoss) -> WinDrawLoss:
        return WinDrawLoss(self.won + other.won, self.drawn + other.drawn, self.lost + other.lost)


class EloEstimate(NamedTuple):
    """An Elo difference and the interval that holds it with 95 %."""

    delta: float
    low: float
    high: float


def elo_from_share(share: float) -> float:
    """The Elo difference at which this share of points is expected."""
    return 400 * math.log10(share / (1 - share))


def estimate_elo(result: WinDrawLoss) -> EloEstimate:
    """By the Beta distribution (Jeffreys' prior): wide after few bouts, never of zero width."""
    a, b = result.points + 0.5, result.bouts - result.points + 0.5
    middle, low, high = (beta_quantile(a, b, q) for q in (0.5, 0.025, 0.975))
    return EloEstimate(elo_from_share(middle), elo_from_share(low), elo_from_share(high))


def share_interval(result: WinDrawLoss) -> tuple[float, float]:
    """Where the share of points lies with 95 %, by the same distribution."""
    a, b = result.points + 0.5, result.bouts - result.points + 0.5
    return beta_quantile(a, b, 0.025), beta_quantile(a, b, 0.975)


def expected_share(difference: float) -> float:
    """The share of points at an Elo difference."""
    return 1 / (1 + 10 ** (-difference / 400))


def combine_results(found: Sequence[tuple[float, WinDrawLoss]]) -> EloEstimate:
    """The rating that explains results against rivals of known ratings, and its 95 % interval.

    Against a single rival this is its rating plus ``estimate_elo`` of the result.
    """
    places = [place for place, _ in found]
    grid = range(int(min(places)) - 5000, int(max(places)) + 5000)
    logs = [sum(_log_likelihood(x - place, result) for place, result in found) for x in grid]
    top = max(logs)
    below = list(accumulate(math.exp(log - top) for log in logs))
    shares = (0.5, 0.025, 0.975)
    middle, low, high = (
        next(x for x, sum_ in zip(grid, below, strict=True) if sum_ >= q * below[-1])
        for q in shares
    )
    return EloEstimate(middle, low, high)


def _log_likelihood(difference: float, result: WinDrawLoss) -> float:
    """The logarithm of how likely a result is, half a win and half a loss added."""
    share = expected_share(difference)
    won, lost = result.points + 0.5, result.bouts - result.points + 0.5
    return won * math.log(share) + lost * math.log1p(-share)


def estimate_document_elo(result: WinDrawLoss) -> EloEstimate:
    """The formula of the original's document; its interval has no width at 100 %."""
    n, share = result.bouts, result.share
    smooth = (result.points + 0.5) / (n + 1)
    variance = (result.won + result.drawn / 4) / n - share**2
    error = 400 / math.log(10) * math.sqrt(max(variance, 0.0) / n) / (smooth * (1 - smooth))
    delta = elo_from_share(smooth)
    return EloEstimate(delta, delta - 1.96 * error, delta + 1.96 * error)


def beta_quantile(a: float, b: float, q: float) -> float:
    """Where the Beta distribution has this share below it, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if beta_cdf(a, b, middle) < q:
            low = middle
        else:
            high = middle
    return min(max((low + high) / 2, 1e-12), 1 - 1e-12)


def beta_cdf(a: float, b: float, x: float) -> float:
    """The share of the Beta distribution below x (the regularised incomplete beta function)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(front + a * math.log(x) + b * math.log1p(-x))
    if x > (a + 1) / (a + b + 2):
        return 1 - front / b * _beta_continued_fraction(b, a, 1 - x)
    return front / a * _beta_continued_fraction(a, b, x)


def _beta_continued_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, from its end to its beginning."""
    value = 1.0
    for m in range(200, 0, -1):
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        value = 1 + even / (1 + odd / value)
    return 1 / (1 - (a + b) * x / (a + 1) / value)
