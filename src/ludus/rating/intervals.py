"""The one method by which Ludus says how sure a score is, and the distributions behind it.

**The method.** We want to know the *share*: the points per bout that a bot would get against
another in the long run. The units of evidence are mirrored pairs and single bouts (see
``scores``), and one imagined unit is added to them, half of it won and half of it lost. From all
units together come the mean share and its variance: that of the units' shares, divided by their
number (plus one). The distribution of the share is then the Beta distribution of this mean and
variance, and an interval holds its middle 95 %.

**Why.** For bouts that are won or lost, without pairs, this is exactly the Bayesian interval with
Jeffreys' prior, Beta(won + ½, lost + ½), which is known to hold the truth about as often as it
says even for few bouts. A Beta distribution never leaves 0…1, so intervals in Elo are finite. The
imagined unit keeps a doubt where results show none: ten pairs that all ended 1–1, or were all won,
are not proof of a share of exactly ½ or 1. And because the variance is measured on whole pairs,
openings that decide a bout for one seat make it *smaller* (both bots get a point), as draws do,
while copies of the same bout within a pair make it larger. The normal approximation that is
common elsewhere has too narrow intervals below about 50 pairs, and none at all for a clean score.

``tests/rating/test_intervals.py`` measures how often intervals hold the truth; docs/en/ratings.md
has the figures.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ludus.rating.scores import PairedScore, WinDrawLoss

Z_SCORE_95 = 1.959964
"""Standard deviations that hold 95 % of a normal distribution."""
TAILS_95 = (0.025, 0.975)
"""The quantiles between which lie 95 % of a distribution."""
MIN_SHARE = 1e-12
"""Quantiles keep this distance from 0 and 1, so that their Elo is finite."""


def normal_cdf(x: float) -> float:
    """The standard normal distribution function."""
    return 0.5 * math.erfc(-x / math.sqrt(2))


class ShareDistribution(NamedTuple):
    """The Beta distribution of a share of points."""

    a: float
    b: float

    def quantile(self, q: float) -> float:
        return beta_quantile(self.a, self.b, q)

    def cdf(self, x: float) -> float:
        return beta_cdf(self.a, self.b, x)

    @property
    def median(self) -> float:
        return self.quantile(0.5)

    @property
    def interval(self) -> tuple[float, float]:
        """Where the share lies with 95 %."""
        low, high = TAILS_95
        return self.quantile(low), self.quantile(high)


def share_distribution(score: PairedScore | WinDrawLoss) -> ShareDistribution:
    """What a score says about the share of points in the long run; see the module's docstring."""
    if isinstance(score, WinDrawLoss):
        score = PairedScore(singles=score)
    unit = 2 if any(score.pairs) else 1
    """Bouts in the imagined unit: a pair where there are pairs."""
    weight = score.bouts + unit
    mean = (score.points + unit / 2) / weight
    squares = unit**2 * ((1 - mean) ** 2 + mean**2) / 2
    squares += sum(n * (kind / 2 - 2 * mean) ** 2 for kind, n in enumerate(score.pairs))
    squares += sum(n * (x - mean) ** 2 for x, n in zip((1, 0.5, 0), score.singles, strict=True))
    units = sum(score.pairs) + score.singles.bouts + 1
    variance = squares / weight**2 * units / (units + 1)
    size = max(mean * (1 - mean) / variance - 1, 1.0)
    """Decided bouts that would be worth as much; the imagined one is always among them."""
    return ShareDistribution(mean * size, (1 - mean) * size)


def share_interval(score: PairedScore | WinDrawLoss) -> tuple[float, float]:
    """Where the share of points lies with 95 %."""
    return share_distribution(score).interval


def beta_quantile(a: float, b: float, q: float) -> float:
    """Where the Beta distribution has this share below it.

    Newton's steps from the mean; where one would leave the bounds that are known, halving.
    """
    if q > 0.5:
        return 1 - beta_quantile(b, a, 1 - q)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    low, high, x = 0.0, 1.0, a / (a + b)
    for _ in range(200):
        off = beta_cdf(a, b, x) - q
        low, high = (low, x) if off > 0 else (x, high)
        density = math.exp(log_front + (a - 1) * math.log(x) + (b - 1) * math.log1p(-x))
        after = x - off / density if density > 0 else -1.0
        if not low < after < high:
            after = (low + high) / 2
        if abs(after - x) <= 1e-13 * x or not MIN_SHARE < after < 1 - MIN_SHARE:
            x = after
            break
        x = after
    return min(max(x, MIN_SHARE), 1 - MIN_SHARE)


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
    """The continued fraction of the incomplete beta function, from its end to its beginning.

    The number of terms it needs grows with the root of the parameters.
    """
    value = 1.0
    for m in range(40 + int(3 * math.sqrt(a + b)), 0, -1):
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        value = 1 + even / (1 + odd / value)
    return 1 / (1 - (a + b) * x / (a + 1) / value)
