"""Ratings that follow bouts one by one, at the cost of a few additions each.

Every entrant has a strength and a variance, as if everybody's errors were independent. A bout moves
its two entrants by one Newton step of the posterior of ``bradley_terry``, in which their variances
so far are the prior: who is known well moves little, who is new moves much, and a surprise moves
both further. What is lost are the errors that entrants share (all who were rated against the same
rival are wrong together), and what later bouts say about the rivals of earlier ones. Therefore
``reset_to`` an exact fit from time to time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from ludus.rating.bradley_terry import LOG_NU_PRIOR
from ludus.rating.davidson import compute_chances
from ludus.rating.elo import ELO_PER_NATURAL_UNIT
from ludus.rating.ratings import STRENGTH_PRIOR_ELO, Ratings


class IncrementalRatings:
    """Ratings that follow bouts one by one, for a ladder: quick, and close to the exact fit."""

    def __init__(self, names: Iterable[str] = (), *, prior: float = STRENGTH_PRIOR_ELO) -> None:
        self.prior = prior
        self.seat = 0.0
        self.nu = math.exp(LOG_NU_PRIOR[0])
        self._strength: dict[str, float] = {}
        self._variance: dict[str, float] = {}
        for name in names:
            self.add_entrant(name)

    def add_entrant(self, name: str) -> None:
        self._strength.setdefault(name, 0.0)
        self._variance.setdefault(name, (self.prior / ELO_PER_NATURAL_UNIT) ** 2)

    def elo(self, name: str) -> float:
        return self._strength[name] * ELO_PER_NATURAL_UNIT

    def deviation(self, name: str) -> float:
        return math.sqrt(self._variance[name]) * ELO_PER_NATURAL_UNIT

    def reset_to(self, ratings: Ratings) -> None:
        """Go on from an exact fit."""
        self.seat, self.nu = ratings.seat, ratings.nu
        for name, elo, deviation in zip(ratings.names, ratings.elo, ratings.deviation, strict=True):
            self._strength[name] = elo / ELO_PER_NATURAL_UNIT
            self._variance[name] = (deviation / ELO_PER_NATURAL_UNIT) ** 2

    def add_bout(self, first: str, second: str, score: float) -> None:
        """Count one bout: a Newton step for its two entrants."""
        for name in (first, second):
            self.add_entrant(name)
        gap = self._strength[first] - self._strength[second] + self.seat / ELO_PER_NATURAL_UNIT
        p = compute_chances(gap, self.nu)
        pull = score - 0.5 - (p.win - p.loss) / 2
        weight = p.information
        v, w = self._variance[first], self._variance[second]
        scale = 1 + weight * (v + w)
        self._strength[first] += v * pull / scale
        self._strength[second] -= w * pull / scale
        self._variance[first] = v - v * v * weight / scale
        self._variance[second] = w - w * w * weight / scale
