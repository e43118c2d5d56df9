"""Ratings of many entrants on one scale: who is stronger, by how much, and who cannot be separated.

Two entrants are *separated* when the chance that one is stronger is at least 97.5 %. Ranked best
first, the first entrant opens a group, and everybody follows into it who is not separated from
that leader; the first who is opens the next group. So a group says: "nobody in here is surely
weaker than its best", the honest way to read a ranking. It does not say that all of a group are
equal, and neighbours in different groups may not be separated from each other. Whether two are
separated depends on the error of their difference; comparing two intervals by eye would call
many pairs equal that are not.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ludus.rating.davidson import Floats, Ints, compute_chances
from ludus.rating.elo import ELO_PER_NATURAL_UNIT
from ludus.rating.intervals import Z_SCORE_95, normal_cdf
from ludus.rating.matrices import center, diagonal, select

STRENGTH_PRIOR_ELO = 400.0
"""Standard deviation of strength before any bout, in Elo."""
SEAT_PRIOR_ELO = 200.0
"""The same of the first seat's advantage."""
SEPARATION_PROBABILITY = 0.975
"""One is better than another when the chance of it is at least this."""


@dataclass(frozen=True, slots=True)
class EntrantRating:
    """One entrant's rating."""

    name: str
    elo: float
    low: float
    high: float
    """95 % interval."""
    bouts: int
    group: int
    """Entrants of a group cannot be separated from its best; groups are numbered from 1."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """What all bouts together say."""

    names: tuple[str, ...]
    elo: Floats
    deviation: Floats
    """Standard errors, relative to the mean or to the anchor."""
    covariance: Floats | None
    """Of the ratings relative to their mean, row after row; None for very many entrants."""
    bouts: Ints
    seat: float
    """What sitting first is worth, in Elo."""
    seat_deviation: float
    nu: float
    tails: tuple[Floats, Floats] | None = None
    """How many standard errors intervals reach below and above each rating; None: 1.96, as those of
    a normal distribution."""

    def index(self, name: str) -> int:
        return self.names.index(name)

    def difference(self, one: str, other: str) -> tuple[float, float]:
        """How much stronger one is, and the standard error of that."""
        i, j = self.index(one), self.index(other)
        return self.elo[i] - self.elo[j], self._difference_error(i, j)

    def _difference_error(self, i: int, j: int) -> float:
        if i == j:
            return 0.0
        if self.covariance is None:
            return math.hypot(self.deviation[i], self.deviation[j])
        c, size = self.covariance, len(self.names)
        return math.sqrt(max(0.0, c[i * size + i] + c[j * size + j] - 2 * c[i * size + j]))

    def probability_better(self, one: str, other: str) -> float:
        """The chance that one is stronger than the other."""
        gap, error = self.difference(one, other)
        return normal_cdf(gap / error) if error else 0.5

    def interval(self, place: int) -> tuple[float, float]:
        """The 95 % interval of the entrant at a place in ``names``."""
        below = above = Z_SCORE_95
        if self.tails is not None:
            below, above = (column[place] for column in self.tails)
        elo, error = self.elo[place], self.deviation[place]
        return elo - below * error, elo + above * error

    @property
    def seat_margin(self) -> float:
        """How far the 95 % interval of ``seat`` reaches to either side."""
        return Z_SCORE_95 * self.seat_deviation

    @property
    def largest_margin(self) -> float:
        """How far the widest 95 % interval of a rating reaches to either side."""
        return Z_SCORE_95 * max(self.deviation, default=0.0)

    def expected_score(self, first: str, second: str) -> float:
        """The score to be expected of who sits first."""
        gap = self.elo[self.index(first)] - self.elo[self.index(second)] + self.seat
        return compute_chances(gap / ELO_PER_NATURAL_UNIT, self.nu).score

    def anchor_to(self, name: str, elo: float = 0.0) -> Ratings:
        """The same with one entrant's rating fixed; intervals are then relative to it."""
        anchor = self.index(name)
        errors = array("d", [self._difference_error(i, anchor) for i in range(len(self.names))])
        anchored = array("d", [each - self.elo[anchor] + elo for each in self.elo])
        return replace(self, elo=anchored, deviation=errors)

    def restrict_to(self, names: Sequence[str]) -> Ratings:
        """The same of some entrants alone, relative to their own mean."""
        places = {name: place for place, name in enumerate(self.names)}
        chosen = array("q", [places[name] for name in names])
        deviation, covariance = _pick(self.deviation, chosen), self.covariance
        if covariance is not None:
            covariance = center(select(covariance, len(self.names), chosen), len(chosen))
            deviation = compute_deviations(covariance, len(chosen))
        return replace(
            self,
            names=tuple(names),
            elo=subtract_mean(self.elo[place] for place in chosen),
            deviation=deviation,
            covariance=covariance,
            bouts=array("q", [self.bouts[place] for place in chosen]),
            tails=self.tails and (_pick(self.tails[0], chosen), _pick(self.tails[1], chosen)),
        )

    def rank(self) -> list[EntrantRating]:
        """Best first, with intervals and groups."""
        order = sorted(range(len(self.names)), key=lambda i: (-self.elo[i], self.names[i]))
        found: list[EntrantRating] = []
        group, leader = 0, -1
        for i in order:
            if leader < 0 or self.are_separated(leader, i):
                group, leader = group + 1, i
            low, high = self.interval(i)
            found.append(EntrantRating(self.names[i], self.elo[i], low, high, self.bouts[i], group))
        return found

    def are_separated(self, better: int, worse: int) -> bool:
        """Whether one is surely stronger than another, both by their places in ``names``."""
        error = self._difference_error(better, worse)
        gap = self.elo[better] - self.elo[worse]
        return error > 0 and normal_cdf(gap / error) >= SEPARATION_PROBABILITY


def _pick(column: Floats, places: Ints) -> Floats:
    return array("d", [column[place] for place in places])


def subtract_mean(values: Iterable[float]) -> Floats:
    """The same relative to their mean."""
    listed = list(values)
    mean = math.fsum(listed) / max(1, len(listed))
    return array("d", [value - mean for value in listed])


def compute_deviations(covariance: Floats, size: int) -> Floats:
    """The standard errors of a covariance."""
    return array("d", [math.sqrt(max(0.0, variance)) for variance in diagonal(covariance, size)])


def to_json(ratings: Ratings) -> dict[str, Any]:
    """For files and programs. Elo is not rounded: who shows it rounds, and once."""
    rows: list[Mapping[str, Any]] = [
        {
            "name": row.name,
            "elo": row.elo,
            "low": row.low,
            "high": row.high,
            "bouts": row.bouts,
            "group": row.group,
        }
        for row in ratings.rank()
    ]
    return {
        "ratings": rows,
        "seat_advantage": round(ratings.seat, 1),
        "seat_advantage_error": round(ratings.seat_deviation, 1),
        "seat_advantage_margin": round(ratings.seat_margin, 1),
        "draws": round(ratings.nu, 4),
    }
