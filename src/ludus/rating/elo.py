"""Strength in Elo: what a score says about the gap between two bots, and how sure that is.

``estimate_elo`` is the only estimate of a gap: ``ludus match``, ``ludus sprt``, ``ludus rate``,
training and the reports of contests of two show its numbers, so they agree on the same bouts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from ludus.rating.intervals import TAILS_95, ShareDistribution, share_distribution
from ludus.rating.scores import PairedScore, WinDrawLoss

ELO_PER_NATURAL_UNIT = 400 / math.log(10)
"""Elo points in a natural unit."""
ANCHOR_ELO = 1500.0
"""The rating of the anchor: alpha-beta of depth 2."""
FINE_INTERVAL_ELO = 20.0
"""Intervals narrower than this (an anchor has none) are shown with a digit behind the point."""
COMBINED_RANGE_ELO = 5000
"""How far from its rivals a bot is looked for."""


class EloEstimate(NamedTuple):
    """A gap in Elo, or a rating, and the interval that holds it with 95 %."""

    elo: float
    """The value at which exactly this score is expected; of a clean score, which no finite value
    explains, the median of the distribution that the interval comes from."""
    low: float
    high: float

    def shift(self, elo: float) -> EloEstimate:
        """As a rating, given the rival's."""
        return EloEstimate(*(value + elo for value in self))

    def format(self, sign: str = "+") -> str:
        """As every command shows it: ``+191 [+34, +337]``; with ``sign=""`` as a rating."""
        elo, low, high = self.format_numbers(sign)
        return f"{elo} [{low}, {high}]"

    def format_numbers(self, sign: str = "+") -> tuple[str, str, str]:
        """The three numbers as texts, for tables."""
        digits = 1 if 0 < self.high - self.low < FINE_INTERVAL_ELO else 0
        elo, low, high = (format_signed(value, digits, sign) for value in self)
        return elo, low, high


def format_signed(value: float, digits: int = 0, sign: str = "+") -> str:
    """``+12``, ``-7``, ``0``: a number with its sign; what rounds to zero has none.

    >>> format_signed(-0.3)
    '0'
    """
    rounded = round(value, digits)
    return f"{rounded:{sign}.{digits}f}" if rounded else f"{0:.{digits}f}"


def elo_from_share(share: float) -> float:
    """The gap at which this share of the points is expected; 0 < share < 1."""
    return 400 * math.log10(share / (1 - share))


def expected_share(gap: float) -> float:
    """The share of the points that a gap in Elo means."""
    return 1 / (1 + 10 ** (-gap / 400))


def estimate_elo(score: PairedScore | WinDrawLoss) -> EloEstimate:
    """The gap that a score means. Finite and honest for any score, even without a bout.

    From mirrored pairs where they are known (``PairedScore.from_bouts`` finds them), else from
    wins, draws and losses. The method is described in ``intervals``.
    """
    share = share_distribution(score)
    middle = score.share if 0 < score.share < 1 else share.median
    return EloEstimate(*(elo_from_share(each) for each in (middle, *share.interval)))


def probability_better(score: PairedScore | WinDrawLoss) -> float:
    """The chance that the gap is above 0; above 97.5 % exactly where the interval is."""
    return 1 - share_distribution(score).cdf(0.5)


def format_probability(chance: float) -> str:
    """``97.5 %``; what is not certain is not shown as 0 or 100 %."""
    if 0 < chance < 1 and f"{chance:.1%}" in ("0.0%", "100.0%"):
        return "> 99.9%" if chance > 0.5 else "< 0.1%"
    return f"{chance:.1%}"


def combine_results(found: Sequence[tuple[float, PairedScore | WinDrawLoss]]) -> EloEstimate:
    """The rating that explains scores against rivals of known ratings.

    For the interval the scores' distributions (see ``intervals``) are multiplied, point by point
    of a grid of ratings. Against a single rival this is its rating plus ``estimate_elo``.
    """
    shares = [(rival, share_distribution(score)) for rival, score in found]
    rivals = [rival for rival, _ in shares]
    grid = range(int(min(rivals)) - COMBINED_RANGE_ELO, int(max(rivals)) + COMBINED_RANGE_ELO)
    logs = [sum(_log_density(x - rival, share) for rival, share in shares) for x in grid]
    top = max(logs)
    below = list(accumulate(math.exp(log - top) for log in logs))
    middle, low, high = (_find_quantile(grid.start, below, q) for q in (0.5, *TAILS_95))
    if 0 < sum(score.points for _, score in found) < sum(score.bouts for _, score in found):
        middle = _find_fitting_rating(found, grid.start, grid.stop)
    return EloEstimate(middle, low, high)


def _find_fitting_rating(
    found: Sequence[tuple[float, PairedScore | WinDrawLoss]], low: float, high: float
) -> float:
    """The rating at which as many points are expected as were scored, by halving the range."""
    points = sum(score.points for _, score in found)
    while high - low > 1e-6:
        middle = (low + high) / 2
        expected = sum(score.bouts * expected_share(middle - rival) for rival, score in found)
        low, high = (middle, high) if expected < points else (low, middle)
    return low


def _find_quantile(start: int, below: Sequence[float], q: float) -> float:
    """Where the sums over a grid of whole numbers reach a share of the last, between its points."""
    wanted = q * below[-1]
    place = next(i for i, total in enumerate(below) if total >= wanted)
    before = below[place - 1] if place else 0.0
    return start + place - 0.5 + (wanted - before) / (below[place] - before)


def _log_density(gap: float, share: ShareDistribution) -> float:
    """The logarithm of the density of a gap in Elo, up to a constant."""
    expected = expected_share(gap)
    return share.a * math.log(expected) + share.b * math.log1p(-expected)


class DocumentElo(NamedTuple):
    """A gap and its interval by the formula of the original's document."""

    delta: float
    low: float
    high: float


def estimate_document_elo(result: WinDrawLoss) -> DocumentElo:
    """The document's formula, to the digit, for comparison; its interval has no width at 100 %."""
    n, share = result.bouts, result.share
    smooth = (result.points + 0.5) / (n + 1)
    variance = (result.won + result.drawn / 4) / n - share**2
    error = ELO_PER_NATURAL_UNIT * math.sqrt(max(variance, 0.0) / n) / (smooth * (1 - smooth))
    delta = elo_from_share(smooth)
    return DocumentElo(delta, delta - 1.96 * error, delta + 1.96 * error)
