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
``pair_posterior`` has the sums over pairs, compiled.

**The intervals** come from the curvature at the maximum, as if the posterior were normal. The
whole inverse matrix is kept, because the error of a *difference* is not the sum of two errors: two
bots that played each other a thousand times are known relative to each other, even if the whole
group is only loosely tied to the rest.

Ratings are in Elo: 400 more means ten wins for each loss.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ludus.rating import matrices
from ludus.rating.davidson import Floats, Ints
from ludus.rating.elo import ELO_PER_NATURAL_UNIT
from ludus.rating.pair_posterior import PairPosterior
from ludus.rating.ratings import (
    SEAT_PRIOR_ELO,
    STRENGTH_PRIOR_ELO,
    Ratings,
    compute_deviations,
    subtract_mean,
)

LOG_NU_PRIOR = (-1.0, 2.0)
"""Mean and standard deviation of ``log(nu)``."""
SOLVER_TOLERANCE = 1e-8
"""A Newton step is solved to this share of its (squared) size: the next step sees to the rest."""
SEAT_TOLERANCE = 1e-24
"""The same for the deviation of the seat's advantage, which no later step improves."""
MAX_DENSE_ENTRANTS = 1500 if matrices.IS_COMPILED else 300
"""Up to so many entrants the whole covariance is computed (uncompiled it takes a hundred times as
long); above, each deviation by itself."""

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
        columns = zip(self.won, self.drawn, self.lost, strict=True)
        return array("d", [won + drawn + lost for won, drawn, lost in columns])

    def scale(self, weight: float) -> PairCounts:
        """Every bout counted as ``weight`` bouts."""
        columns = (self.won, self.drawn, self.lost)
        won, drawn, lost = (matrices.scale(column, weight) for column in columns)
        return replace(self, won=won, drawn=drawn, lost=lost)

    @classmethod
    def from_lines(
        cls, names: Iterable[str], lines: Iterable[tuple[int | float, ...]]
    ) -> PairCounts:
        """From the places of two among ``names``, and what the first of them won, drew and lost."""
        first, second, *results = list(zip(*lines, strict=True)) or [()] * 5
        won, drawn, lost = (array("d", column) for column in results)
        return cls(tuple(names), array("q", first), array("q", second), won, drawn, lost)

    @classmethod
    def from_bouts(cls, names: Iterable[str], bouts: Iterable[RatedBout]) -> PairCounts:
        """Count bouts; those of strangers to ``names`` are left out."""
        known = {name: number for number, name in enumerate(names)}
        counted: Counter[tuple[int, int, float]] = Counter(
            (known[first], known[second], score)
            for first, second, score in bouts
            if first in known and second in known and first != second
        )
        lines = [
            (i, j, *(float(counted[i, j, score]) for score in (1.0, 0.5, 0.0)))
            for i, j in sorted({key[:2] for key in counted})
        ]
        return cls.from_lines(known, lines)


def rate(
    names: Sequence[str], bouts: Iterable[RatedBout], *, prior: float = STRENGTH_PRIOR_ELO
) -> Ratings:
    """Ratings of names from bouts."""
    return fit(PairCounts.from_bouts(names, bouts), prior=prior)


def fit(
    counts: PairCounts,
    *,
    prior: float = STRENGTH_PRIOR_ELO,
    start: Ratings | None = None,
    with_covariance: bool = True,
) -> Ratings:
    """The posterior mode and its curvature. ``start`` makes it faster, never different.

    Without the covariance, which is most of the work for hundreds of entrants, the deviation of
    each rating is as if all others were known.
    """
    model = PosteriorModel(counts, prior)
    x = model.start(start)
    for _ in range(100):
        gradient = model.posterior.differentiate(x)
        step = model.posterior.solve(gradient, SOLVER_TOLERANCE)
        x = model.take_newton_step(x, step)
        if max(map(abs, step), default=0.0) < 1e-9:
            break
    return model.ratings(x, with_covariance and len(counts.names) <= MAX_DENSE_ENTRANTS)


class PosteriorModel:
    """The posterior of strengths, seat advantage and ``log(nu)``, and the ratings at its mode."""

    def __init__(self, counts: PairCounts, prior: float) -> None:
        self.counts = counts
        self.size = len(counts.names)
        precision = array("d", [(ELO_PER_NATURAL_UNIT / prior) ** 2] * self.size)
        precision.extend(((ELO_PER_NATURAL_UNIT / SEAT_PRIOR_ELO) ** 2, LOG_NU_PRIOR[1] ** -2))
        self.mean = array("d", [0.0] * (self.size + 1) + [LOG_NU_PRIOR[0]])
        self.posterior = PairPosterior(
            (counts.first, counts.second),
            (counts.won, counts.drawn, counts.lost),
            self.mean,
            precision,
        )

    def start(self, before: Ratings | None) -> Floats:
        if before is None:
            return array("d", self.mean)
        known = dict(zip(before.names, before.elo, strict=True))
        x = [known.get(name, 0.0) / ELO_PER_NATURAL_UNIT for name in self.counts.names]
        return array("d", [*x, before.seat / ELO_PER_NATURAL_UNIT, math.log(before.nu)])

    def take_newton_step(self, x: Floats, step: Floats) -> Floats:
        """A Newton step, shortened until it goes down."""
        now, length = self.posterior.value(x), 1.0
        there = _move(x, step, length)
        while length > 1e-6 and self.posterior.value(there) > now + 1e-9 * abs(now):
            length /= 2
            there = _move(x, step, length)
        return there

    def ratings(self, x: Floats, with_covariance: bool) -> Ratings:
        size = self.size
        self.posterior.differentiate(x)
        covariance: Floats | None = None
        if with_covariance:
            inverse = matrices.invert(self.posterior.matrix(), size + 2)
            chosen = matrices.select(inverse, size + 2, array("q", range(size)))
            covariance = matrices.scale(matrices.center(chosen, size), ELO_PER_NATURAL_UNIT**2)
            deviation = compute_deviations(covariance, size)
        else:
            curvature = self.posterior.diagonal()[:size]
            deviation = array("d", [ELO_PER_NATURAL_UNIT / math.sqrt(c) for c in curvature])
        return Ratings(
            names=self.counts.names,
            elo=subtract_mean(each * ELO_PER_NATURAL_UNIT for each in x[:size]),
            deviation=deviation,
            covariance=covariance,
            bouts=self._count_bouts(),
            seat=x[size] * ELO_PER_NATURAL_UNIT,
            seat_deviation=self._seat_deviation(),
            nu=math.exp(x[size + 1]),
        )

    def _seat_deviation(self) -> float:
        """From one column of the inverse of the second derivatives."""
        seat = matrices.make_zeros(self.size + 2)
        seat[self.size] = 1.0
        variance = self.posterior.solve(seat, SEAT_TOLERANCE)[self.size]
        return ELO_PER_NATURAL_UNIT * math.sqrt(variance)

    def _count_bouts(self) -> Ints:
        counts = self.counts
        found = [0.0] * self.size
        for first, second, bouts in zip(counts.first, counts.second, counts.bouts, strict=True):
            found[first] += bouts
            found[second] += bouts
        return array("q", map(int, found))


def _move(x: Floats, step: Floats, length: float) -> Floats:
    return array("d", [at - length * move for at, move in zip(x, step, strict=True)])
