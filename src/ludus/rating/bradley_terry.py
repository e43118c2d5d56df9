"""How strong is everybody, and how sure is that? Ratings of frozen programs from all their bouts.

The model is Bradley and Terry's with Davidson's draws and an advantage of the first seat. With
``d`` the difference of strength (seat included) in natural units, a bout is won, drawn and lost
in proportion to ``exp(d/2)``, ``nu`` and ``exp(-d/2)``. All bouts count alike, whenever they were
played, so the order of results is of no account. A weak normal prior keeps the ratings of those
who won or lost everything finite; ratings are its posterior mode, intervals its curvature there.

Ratings are in Elo: 400 more means ten wins for each loss. Their mean is 0 until anchored.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ELO_PER_NATURAL_UNIT = 400 / math.log(10)
"""Elo points in a natural unit."""
STRENGTH_PRIOR_ELO = 400.0
"""Standard deviation of strength before any bout, in Elo."""
SEAT_PRIOR_ELO = 200.0
LOG_NU_PRIOR = (-1.0, 2.0)
"""Mean and standard deviation of ``log(nu)``."""
Z_SCORE_95 = 1.959964
"""Standard deviations that hold 95 % of a normal distribution."""
SEPARATION_PROBABILITY = 0.975
"""One is better than another when the chance of it is at least this."""
SOLVER_TOLERANCE = 1e-8
"""A Newton step is solved to this share of its (squared) size: the next step sees to the rest."""
MAX_DENSE_ENTRANTS = 1500
"""Up to so many entrants the whole covariance is computed; above, each deviation by itself."""

RatedBout = tuple[str, str, float]
"""Who sat first, who second, and what the first got: 1, ½ or 0."""


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Bouts, counted: one line for each ordered pair that has met."""

    names: tuple[str, ...]
    first: Ints
    second: Ints
    won: Floats
    """By the first seat."""
    drawn: Floats
    lost: Floats

    @property
    def bouts(self) -> Floats:
        return self.won + self.drawn + self.lost

    @classmethod
    def from_bouts(cls, names: Iterable[str], bouts: Iterable[RatedBout]) -> PairCounts:
        """Count bouts; those of strangers to ``names`` are left out."""
        known = {name: number for number, name in enumerate(names)}
        counted: Counter[tuple[int, int, float]] = Counter(
            (known[first], known[second], score)
            for first, second, score in bouts
            if first in known and second in known and first != second
        )
        pairs = sorted({key[:2] for key in counted})
        lines = [[counted[(*pair, score)] for score in (1.0, 0.5, 0.0)] for pair in pairs]
        columns = np.array(lines, float).reshape(len(pairs), 3).T
        seats = np.array(pairs, np.int64).reshape(len(pairs), 2).T
        return cls(tuple(known), seats[0], seats[1], *columns)

    @classmethod
    def from_arrays(
        cls, names: Sequence[str], first: Ints, second: Ints, score: Floats
    ) -> PairCounts:
        """The same from columns, one line for each bout."""
        size = len(names)
        keys, where = np.unique(first * size + second, return_inverse=True)
        by_result = [
            np.bincount(where[score == value], minlength=len(keys)).astype(float)
            for value in (1.0, 0.5, 0.0)
        ]
        return cls(tuple(names), keys // size, keys % size, *by_result)


@dataclass(frozen=True, slots=True)
class BoutChances:
    """What is to be expected of a bout, for many bouts at once."""

    win: Floats
    draw: Floats
    loss: Floats

    @property
    def score(self) -> Floats:
        return self.win + self.draw / 2

    @property
    def information(self) -> Floats:
        """How much one bout tells about the difference of strength."""
        return (1 - self.draw - (self.win - self.loss) ** 2) / 4


def compute_chances(difference: Any, nu: float) -> BoutChances:
    """From a difference of strength in natural units; ``nu`` makes draws."""
    half = np.clip(np.asarray(difference, float) / 2, -300, 300)
    win, loss = np.exp(half), np.exp(-half)
    total = win + loss + nu
    return BoutChances(win / total, nu / total, loss / total)


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
    """Of the ratings relative to their mean; None for very many entrants."""
    bouts: Ints
    seat: float
    """What sitting first is worth, in Elo."""
    seat_deviation: float
    nu: float

    def index(self, name: str) -> int:
        return self.names.index(name)

    def difference(self, one: str, other: str) -> tuple[float, float]:
        """How much stronger one is, and the standard error of that."""
        i, j = self.index(one), self.index(other)
        return float(self.elo[i] - self.elo[j]), self._difference_error(i, j)

    def _difference_error(self, i: int, j: int) -> float:
        if i == j:
            return 0.0
        if self.covariance is None:
            return math.hypot(self.deviation[i], self.deviation[j])
        c = self.covariance
        return math.sqrt(max(0.0, float(c[i, i] + c[j, j] - 2 * c[i, j])))

    def probability_better(self, one: str, other: str) -> float:
        """The likelihood that one is stronger than the other."""
        gap, error = self.difference(one, other)
        return normal_cdf(gap / error) if error else 0.5

    def expected_score(self, first: str, second: str) -> float:
        """The score to be expected of who sits first."""
        gap = self.elo[self.index(first)] - self.elo[self.index(second)] + self.seat
        return float(compute_chances(gap / ELO_PER_NATURAL_UNIT, self.nu).score)

    def anchor_to(self, name: str, elo: float = 0.0) -> Ratings:
        """The same with one entrant's rating fixed; intervals are then relative to it."""
        anchor = self.index(name)
        errors = np.array([self._difference_error(i, anchor) for i in range(len(self.names))])
        return replace(self, elo=self.elo - self.elo[anchor] + elo, deviation=errors)

    def restrict_to(self, names: Sequence[str]) -> Ratings:
        """The same of some entrants alone, relative to their own mean."""
        places = {name: place for place, name in enumerate(self.names)}
        chosen = np.array([places[name] for name in names], np.int64)
        elo = self.elo[chosen]
        deviation, covariance = self.deviation[chosen], self.covariance
        if covariance is not None:
            covariance = center_covariance(covariance[np.ix_(chosen, chosen)])
            deviation = np.sqrt(np.maximum(0.0, np.diag(covariance)))
        return replace(
            self,
            names=tuple(names),
            elo=elo - (elo.mean() if len(elo) else 0.0),
            deviation=deviation,
            covariance=covariance,
            bouts=self.bouts[chosen],
        )

    def rank(self) -> list[EntrantRating]:
        """Best first, with intervals and groups."""
        order = sorted(range(len(self.names)), key=lambda i: (-self.elo[i], self.names[i]))
        found: list[EntrantRating] = []
        group, leader = 0, -1
        for i in order:
            if leader < 0 or self.are_separated(leader, i):
                group, leader = group + 1, i
            margin = Z_SCORE_95 * float(self.deviation[i])
            elo = float(self.elo[i])
            found.append(
                EntrantRating(
                    self.names[i], elo, elo - margin, elo + margin, int(self.bouts[i]), group
                )
            )
        return found

    def are_separated(self, better: int, worse: int) -> bool:
        """Whether one is surely stronger than another, both by their places in ``names``."""
        error = self._difference_error(better, worse)
        return (
            error > 0
            and normal_cdf(float(self.elo[better] - self.elo[worse]) / error)
            >= SEPARATION_PROBABILITY
        )


def normal_cdf(x: float) -> float:
    """The standard normal distribution function."""
    return 0.5 * math.erfc(-x / math.sqrt(2))


def rate(
    names: Sequence[str], bouts: Iterable[RatedBout], *, prior: float = STRENGTH_PRIOR_ELO
) -> Ratings:
    """Ratings of names from bouts."""
    return fit(PairCounts.from_bouts(names, bouts), prior=prior)


def fit(
    counts: PairCounts, *, prior: float = STRENGTH_PRIOR_ELO, start: Ratings | None = None
) -> Ratings:
    """The posterior mode and its curvature. ``start`` makes it faster, never different."""
    model = PosteriorModel(counts, prior)
    x = model.start(start)
    for _ in range(100):
        gradient, curve = model.derivatives(x)
        step = curve.solve(gradient)
        x = model.take_newton_step(x, step)
        if float(np.abs(step).max(initial=0.0)) < 1e-9:
            break
    return model.ratings(x)


class PosteriorModel:
    """The negative log posterior of strengths, seat advantage and ``log(nu)``."""

    def __init__(self, counts: PairCounts, prior: float) -> None:
        self.counts = counts
        self.size = len(counts.names)
        precision = np.full(self.size + 2, (ELO_PER_NATURAL_UNIT / prior) ** 2)
        precision[-2:] = (ELO_PER_NATURAL_UNIT / SEAT_PRIOR_ELO) ** 2, LOG_NU_PRIOR[1] ** -2
        self.precision = precision
        self.mean = np.zeros(self.size + 2)
        self.mean[-1] = LOG_NU_PRIOR[0]

    def start(self, before: Ratings | None) -> Floats:
        x = self.mean.copy()
        if before is not None:
            known = dict(zip(before.names, before.elo / ELO_PER_NATURAL_UNIT, strict=True))
            x[: self.size] = [known.get(name, 0.0) for name in self.counts.names]
            x[-2:] = before.seat / ELO_PER_NATURAL_UNIT, math.log(before.nu)
        return x

    def _difference(self, x: Floats) -> Floats:
        counts = self.counts
        found: Floats = x[counts.first] - x[counts.second] + x[-2]
        return found

    def value(self, x: Floats) -> float:
        counts, d = self.counts, self._difference(x)
        half = np.abs(d) / 2
        log_total = half + np.log1p(np.exp(-2 * half) + np.exp(x[-1] - half))
        likelihood = (
            (counts.won - counts.lost) * d / 2 + counts.drawn * x[-1] - counts.bouts * log_total
        )
        off = x - self.mean
        return float(-likelihood.sum() + (self.precision * off**2).sum() / 2)

    def derivatives(self, x: Floats) -> tuple[Floats, PosteriorHessian]:
        counts = self.counts
        p = compute_chances(self._difference(x), math.exp(x[-1]))
        n = counts.bouts
        slope = (counts.won - counts.lost) / 2 - n * (p.win - p.loss) / 2
        gradient = self.precision * (x - self.mean)
        gradient[: self.size] -= self._sum_by_entrant(slope)
        gradient[-2] -= slope.sum()
        gradient[-1] -= (counts.drawn - n * p.draw).sum()
        weight = n * p.information
        mixed = -n * p.draw * (p.win - p.loss) / 2
        return gradient, PosteriorHessian(
            self, weight, mixed, float((n * p.draw * (1 - p.draw)).sum())
        )

    def _sum_by_entrant(self, values: Floats) -> Floats:
        """Values of pairs as sums over entrants: plus for the first, minus for the second."""
        plus = np.bincount(self.counts.first, values, self.size)
        return np.asarray(plus - np.bincount(self.counts.second, values, self.size), float)

    def take_newton_step(self, x: Floats, step: Floats) -> Floats:
        """A Newton step, shortened until it goes down."""
        now, length = self.value(x), 1.0
        while length > 1e-6 and self.value(x - length * step) > now + 1e-9 * abs(now):
            length /= 2
        return x - length * step

    def ratings(self, x: Floats) -> Ratings:
        counts, size = self.counts, self.size
        _, curve = self.derivatives(x)
        elo = x[:size] * ELO_PER_NATURAL_UNIT
        bouts: Floats = np.bincount(counts.first, counts.bouts, size).astype(float)
        bouts += np.bincount(counts.second, counts.bouts, size)
        covariance: Floats | None = None
        if size <= MAX_DENSE_ENTRANTS:
            inverse: Floats = (
                np.asarray(np.linalg.inv(curve.matrix()), float) * ELO_PER_NATURAL_UNIT**2
            )
            covariance = center_covariance(inverse[:size, :size])
            deviation = np.sqrt(np.maximum(0.0, np.diag(covariance)))
            seat_deviation = math.sqrt(inverse[size, size])
        else:
            deviation = ELO_PER_NATURAL_UNIT / np.sqrt(curve.diagonal()[:size])
            seat_deviation = ELO_PER_NATURAL_UNIT / math.sqrt(curve.diagonal()[size])
        return Ratings(
            names=counts.names,
            elo=elo - (elo.mean() if size else 0.0),
            deviation=deviation,
            covariance=covariance,
            bouts=bouts.astype(np.int64),
            seat=float(x[-2] * ELO_PER_NATURAL_UNIT),
            seat_deviation=seat_deviation,
            nu=math.exp(x[-1]),
        )


def center_covariance(covariance: Floats) -> Floats:
    """Of the same variables relative to their mean."""
    if not len(covariance):
        return covariance
    rows = covariance.mean(axis=0, keepdims=True)
    found: Floats = covariance - rows - rows.T + covariance.mean()
    return found


@dataclass(frozen=True, slots=True)
class PosteriorHessian:
    """Second derivatives, kept by pairs: a matrix when small, products with vectors when large."""

    model: PosteriorModel
    weight: Floats
    mixed: Floats
    draws: float

    def matrix(self) -> Floats:
        model, counts, size = self.model, self.model.counts, self.model.size
        found = np.diag(self.diagonal())
        found[counts.first, counts.second] -= self.weight  # every ordered pair has one line
        found[counts.second, counts.first] -= self.weight
        for column, values in ((size, self.weight), (size + 1, self.mixed)):
            edge = model._sum_by_entrant(values)
            found[:size, column] += edge
            found[column, :size] += edge
        found[size, size + 1] = found[size + 1, size] = self.mixed.sum()
        return found

    def diagonal(self) -> Floats:
        model, counts, size = self.model, self.model.counts, self.model.size
        found = model.precision.copy()
        found[:size] += np.bincount(counts.first, self.weight, size)
        found[:size] += np.bincount(counts.second, self.weight, size)
        found[size] += self.weight.sum()
        found[size + 1] += self.draws
        return found

    def multiply(self, v: Floats) -> Floats:
        model, counts, size = self.model, self.model.counts, self.model.size
        d = v[counts.first] - v[counts.second] + v[size]
        pulled = self.weight * d + self.mixed * v[size + 1]
        found = model.precision * v
        found[:size] += model._sum_by_entrant(pulled)
        found[size] += pulled.sum()
        found[size + 1] += (self.mixed * d).sum() + self.draws * v[size + 1]
        return found

    def solve(self, target: Floats) -> Floats:
        """Conjugate gradients, preconditioned by the diagonal."""
        diagonal = self.diagonal()
        x = np.zeros_like(target)
        rest = target.copy()
        z = rest / diagonal
        way, size = z.copy(), float(rest @ z)
        enough = max(1e-20, SOLVER_TOLERANCE * size)
        for _ in range(500):
            if size < enough:
                break
            moved = self.multiply(way)
            step = size / float(way @ moved)
            x += step * way
            rest -= step * moved
            z = rest / diagonal
            before, size = size, float(rest @ z)
            way = z + (size / before) * way
        return x


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
            self._strength[name] = float(elo) / ELO_PER_NATURAL_UNIT
            self._variance[name] = (float(deviation) / ELO_PER_NATURAL_UNIT) ** 2

    def add_bout(self, first: str, second: str, score: float) -> None:
        """Count one bout: a Newton step for its two entrants."""
        for name in (first, second):
            self.add_entrant(name)
        gap = self._strength[first] - self._strength[second] + self.seat / ELO_PER_NATURAL_UNIT
        p = compute_chances(gap, self.nu)
        pull = float(score - 0.5 - (p.win - p.loss) / 2)
        weight = float(p.information)
        v, w = self._variance[first], self._variance[second]
        scale = 1 + weight * (v + w)
        self._strength[first] += v * pull / scale
        self._strength[second] -= w * pull / scale
        self._variance[first] = v - v * v * weight / scale
        self._variance[second] = w - w * w * weight / scale


def to_json(ratings: Ratings) -> dict[str, Any]:
    """For files and programs."""
    rows: list[Mapping[str, Any]] = [
        {
            "name": row.name,
            "elo": round(row.elo, 1),
            "low": round(row.low, 1),
            "high": round(row.high, 1),
            "bouts": row.bouts,
            "group": row.group,
        }
        for row in ratings.rank()
    ]
    return {
        "ratings": rows,
        "seat_advantage": round(ratings.seat, 1),
        "seat_advantage_error": round(ratings.seat_deviation, 1),
        "draws": round(ratings.nu, 4),
    }
