"""How strong is everybody, and how sure is that? Ratings of frozen programs from all their bouts.

**The model** is Bradley and Terry's with Davidson's draws and an advantage of the first seat. With
``d`` the difference of strength (seat included) in natural units, a bout is won, drawn and lost
in proportion to ``exp(d/2)``, ``nu`` and ``exp(-d/2)``. All bouts count alike, whenever they were
played, so the order of results is of no account. Only differences of strength enter, so everybody
could be any constant stronger: ratings have the mean 0 until one of them is anchored.

**The prior.** Who won every bout would be infinitely strong, and two groups that never met could
lie anywhere relative to each other. So every strength is assumed to be near 0 beforehand, within a
normal distribution of 400 Elo; likewise the seat's advantage (200 Elo) and ``log(nu)``. A dozen
bouts outweigh it, and nothing is ever infinite or undetermined.

**The fit** is the maximum of the posterior: likelihood of all bouts times prior. Its logarithm is
concave in the strengths and the seat, so there is one maximum, and Newton's steps find it in about
six rounds. Second derivatives couple only those who have met, therefore a step is solved by
conjugate gradients on pairs that met, without a matrix: 10,000 entrants cost seconds, not hours.

**The intervals** come from the curvature at the maximum, as if the posterior were normal. The
whole inverse matrix is kept, because the error of a *difference* is not the sum of two errors: two
bots that played each other a thousand times are known relative to each other, even if the whole
group is only loosely tied to the rest.

Ratings are in Elo: 400 more means ten wins for each loss.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ludus.rating.davidson import Floats, Ints, compute_chances
from ludus.rating.elo import ELO_PER_NATURAL_UNIT
from ludus.rating.ratings import (
    SEAT_PRIOR_ELO,
    STRENGTH_PRIOR_ELO,
    Ratings,
    center_covariance,
)

LOG_NU_PRIOR = (-1.0, 2.0)
"""Mean and standard deviation of ``log(nu)``."""
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

    def scale(self, weight: float) -> PairCounts:
        """Every bout counted as ``weight`` bouts."""
        won, drawn, lost = (weight * column for column in (self.won, self.drawn, self.lost))
        return replace(self, won=won, drawn=drawn, lost=lost)

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
        """The Newton step, by conjugate gradients.

        The matrix has a row for every entrant and is almost empty: only pairs that met have an
        entry. So it is never built; each round multiplies it by a vector, at the cost of one
        visit to every such pair, and improves the step. Dividing by the diagonal first makes
        entrants of ten and of ten thousand bouts comparable, so that some dozens of rounds do.
        """
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
