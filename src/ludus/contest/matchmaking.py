"""Matchmaking on a ladder: the pairs whose results are the most informative play next.

A bout between equals is more informative than one whose result is known beforehand, and a bout of
an entrant with few bouts is more informative than one of an entrant that has played a lot. One
number measures both: by how much a bout is expected to reduce the variances of the two ratings
(``expected_variance_reduction``). If v and w are the variances and I is the Fisher information of
one bout about the difference of strengths, a Bayesian update reduces v by v²·I / (1 + I·(v + w)),
and w likewise. I is largest between equals.

Comparing all pairs would take n² and would leave the last entrants without an opponent. Instead
entrants are taken in the order of urgency (new ones, those who have waited too long, the least
known), and each chooses between the two nearest in strength who are still free. The row of
strengths is blurred by chance: if always the nearest met, comparisons would form a chain along
which errors add up, and the same two would meet again and again. The blur is as wide as ratings are
uncertain, so newcomers meet opponents from a wide range.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Sequence

from ludus.rating.davidson import compute_chances
from ludus.rating.elo import ELO_PER_NATURAL_UNIT

NEW_ENTRANT_BOUTS = 10
"""Entrants with fewer bouts are new and come first."""
STRENGTH_BLUR = 0.2
"""Standard deviation of the blur for ratings that are known exactly, in natural units."""
MAX_WAIT_RATIO = 3.0
"""An entrant that has waited this many times longer than the median comes first."""


def expected_variance_reduction(
    strength: Sequence[float], variance: Sequence[float], one: int, other: int, nu: float = 0.0
) -> float:
    """By how much a bout is expected to reduce the sum of two variances, in natural units."""
    information = compute_chances(strength[one] - strength[other], nu).information
    v, w = variance[one], variance[other]
    return (v * v + w * w) * information / (1 + information * (v + w))


def choose_pairs(
    elo: Sequence[float],
    deviation: Sequence[float],
    bouts: Sequence[int],
    count: int | None = None,
    *,
    waited: Sequence[float] | None = None,
    nu: float = 0.0,
    seed: int = 0,
    related: Callable[[int, int], bool] | None = None,
) -> list[tuple[int, int]]:
    """Up to ``count`` pairs (by default each entrant once), the most urgent first.

    New entrants come first, then those that have ``waited`` far longer than the others, then those
    whose ratings are least certain. No entrant is in two pairs, and no pair is ``related``. The
    same arguments give the same pairs.
    """
    strength = [each / ELO_PER_NATURAL_UNIT for each in elo]
    variance = [(each / ELO_PER_NATURAL_UNIT) ** 2 for each in deviation]
    rng = random.Random(seed)
    size = len(strength)
    wanted = size // 2 if count is None else min(count, size // 2)
    lots = [rng.random() for _ in range(size)]
    blurred = [
        x + rng.gauss(0, math.sqrt(min(v, 1.0) + STRENGTH_BLUR**2))
        for x, v in zip(strength, variance, strict=True)
    ]
    row = CandidateList(sorted(range(size), key=blurred.__getitem__))
    urgency = _compute_urgency(variance, bouts, waited, lots)
    pairs: list[tuple[int, int]] = []
    for one in sorted(range(size), key=urgency.__getitem__, reverse=True):
        if len(pairs) == wanted:
            break
        if one not in row:
            continue
        near = row.neighbours(one, related)
        if near:
            other = max(
                near,
                key=lambda them: expected_variance_reduction(strength, variance, one, them, nu),
            )
            row.remove(one)
            row.remove(other)
            pairs.append((one, other))
    return pairs


def _compute_urgency(
    variance: Sequence[float],
    played: Sequence[int],
    waited: Sequence[float] | None,
    lots: Sequence[float],
) -> list[float]:
    usual = max(statistics.median(waited), 1e-9) if waited else math.inf
    found = []
    for v, bouts, wait, lot in zip(variance, played, waited or played, lots, strict=True):
        if bouts < NEW_ENTRANT_BOUTS:
            found.append(1e6 - bouts + lot / 2)
        elif wait > MAX_WAIT_RATIO * usual:
            found.append(1e3 + wait / usual)
        else:
            found.append(v * (1 + 1e-3 * lot))
    return found


class CandidateList:
    """Entrants in the order of their strength, from which pairs are removed (a linked list)."""

    def __init__(self, order: Sequence[int]) -> None:
        row: list[int | None] = [None, *order, None]
        self._left = {row[i]: row[i - 1] for i in range(1, len(row) - 1)}
        self._right = {row[i]: row[i + 1] for i in range(1, len(row) - 1)}

    def __contains__(self, one: int) -> bool:
        return one in self._left

    def neighbours(self, one: int, related: Callable[[int, int], bool] | None = None) -> list[int]:
        """The nearest on either side that are not ``related``."""
        nearest = []
        for side in (self._left, self._right):
            other = side[one]
            while other is not None and related is not None and related(one, other):
                other = side[other]
            if other is not None:
                nearest.append(other)
        return nearest

    def remove(self, one: int) -> None:
        left, right = self._left.pop(one), self._right.pop(one)
        if left is not None:
            self._right[left] = right
        if right is not None:
            self._left[right] = left
