"""Who should play next on a ladder? The pairs whose results tell most.

A bout between equals tells more than one whose result is known beforehand, and a bout of somebody
who is hardly known tells more than one of an old hand. What a bout is expected to take off the
squared errors of its two entrants measures both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ludus.rating.chances import Floats, Ints, compute_chances
from ludus.rating.elo import ELO_PER_NATURAL_UNIT

NEW_ENTRANT_BOUTS = 10
"""Entrants with fewer bouts are new and come first."""
STRENGTH_BLUR = 0.2
"""Opponents differ by about this in strength, in natural units, even when all is known. If always
the nearest met, comparisons would form a chain along which errors add up."""
MAX_WAIT_RATIO = 3.0
"""Somebody who waits this many times longer than the others is taken whatever it tells."""


def expected_variance_reduction(
    strength: Floats, variance: Floats, one: int, other: int, nu: float = 0.0
) -> float:
    """What a bout is expected to take off the two variances; everything in natural units."""
    information = float(compute_chances(strength[one] - strength[other], nu).information)
    v, w = float(variance[one]), float(variance[other])
    return (v * v + w * w) * information / (1 + information * (v + w))


def choose_pairs(
    elo: Sequence[float] | Floats,
    deviation: Sequence[float] | Floats,
    bouts: Sequence[int] | Ints,
    count: int | None = None,
    *,
    waited: Sequence[float] | Floats | None = None,
    nu: float = 0.0,
    seed: int = 0,
    related: Callable[[int, int], bool] | None = None,
) -> list[tuple[int, int]]:
    """Up to ``count`` pairs (by default everybody once), the most urgent first.

    New entrants come first, then whoever has ``waited`` far longer than the others, then those
    who are known least; each gets the neighbour in strength against whom a bout is expected to
    narrow the table most. Nobody is in two pairs, and no pair is ``related``. The same arguments
    give the same pairs.
    """
    strength = np.asarray(elo, float) / ELO_PER_NATURAL_UNIT
    variance = (np.asarray(deviation, float) / ELO_PER_NATURAL_UNIT) ** 2
    rng = np.random.default_rng(seed)
    size = len(strength)
    wanted = size // 2 if count is None else min(count, size // 2)
    lots = rng.random(size)
    blur = rng.standard_normal(size) * np.sqrt(np.minimum(variance, 1.0) + STRENGTH_BLUR**2)
    row = CandidateList(np.argsort(strength + blur, kind="stable"))
    urgent = np.argsort(-_compute_urgency(variance, np.asarray(bouts), waited, lots), kind="stable")
    found: list[tuple[int, int]] = []
    for one in urgent.tolist():
        if len(found) == wanted:
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
            found.append((one, other))
    return found


def _compute_urgency(
    variance: Floats, played: Ints, waited: Sequence[float] | Floats | None, lots: Floats
) -> Floats:
    urgency = variance * (1 + 1e-3 * lots)
    if waited is not None and len(variance):
        times = np.asarray(waited, float)
        usual = max(float(np.median(times)), 1e-9)
        urgency = np.where(times > MAX_WAIT_RATIO * usual, 1e3 + times / usual, urgency)
    found: Floats = np.where(played < NEW_ENTRANT_BOUTS, 1e6 - played + lots / 2, urgency)
    return found


class CandidateList:
    """Entrants in a row from which one after the other is taken."""

    def __init__(self, order: Ints) -> None:
        row: list[int | None] = [None, *order.tolist(), None]
        self._left = {row[i]: row[i - 1] for i in range(1, len(row) - 1)}
        self._right = {row[i]: row[i + 1] for i in range(1, len(row) - 1)}

    def __contains__(self, one: int) -> bool:
        return one in self._left

    def neighbours(self, one: int, related: Callable[[int, int], bool] | None = None) -> list[int]:
        """Whoever is next on either side and not ``related``."""
        found = []
        for side in (self._left, self._right):
            other = side[one]
            while other is not None and related is not None and related(one, other):
                other = side[other]
            if other is not None:
                found.append(other)
        return found

    def remove(self, one: int) -> None:
        left, right = self._left.pop(one), self._right.pop(one)
        if left is not None:
            self._right[left] = right
        if right is not None:
            self._left[right] = left
