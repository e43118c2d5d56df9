"""Ratings for games with more than two seats: Plackett and Luce's model of whole rankings.

The best of a bout is drawn among all its seats in proportion to ``exp(strength)``, the next among
the rest, and so on. Seats have strengths of their own, which are added to those of the entrants.
For two seats without draws it is the model of ``bradley_terry``, and so are prior (which keeps
winners of everything finite and fixes the sum of all strengths), fit (Newton's steps on the log
posterior, which is concave) and intervals (its curvature at the maximum).

Equal scores have no place in such a draw. They count as if each of the equals had been drawn from
all of them (Breslow's way with ties): in a bout of three that ends 1, ½, ½ both seconds are drawn
among two. That treats equals alike and stays concave.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from ludus.rating.davidson import Floats, Ints
from ludus.rating.elo import ELO_PER_NATURAL_UNIT
from ludus.rating.ratings import (
    SEAT_PRIOR_ELO,
    STRENGTH_PRIOR_ELO,
    Ratings,
    center_covariance,
)

RankedBout = tuple[Sequence[str], Sequence[float]]
"""Who sat on each seat, and the scores."""


def rate(
    names: Sequence[str],
    bouts: Iterable[RankedBout],
    seats: int,
    *,
    prior: float = STRENGTH_PRIOR_ELO,
) -> tuple[Ratings, list[float]]:
    """Ratings, and what each seat is worth in Elo, their mean being 0."""
    model = RankingModel(names, bouts, seats, prior)
    x = np.zeros(model.size)
    for _ in range(100):
        gradient, matrix = model.derivatives(x)
        step = np.linalg.solve(matrix, gradient)
        step *= min(1.0, 2.0 / max(float(np.abs(step).max(initial=0.0)), 1e-12))
        x -= step
        if float(np.abs(step).max(initial=0.0)) < 1e-9:
            break
    return model.ratings(x)


class RankingModel:
    """Bouts as columns: one line for each, the best seat first."""

    def __init__(
        self, names: Sequence[str], bouts: Iterable[RankedBout], seats: int, prior: float
    ) -> None:
        self.names, self.seats = tuple(names), seats
        known = {name: number for number, name in enumerate(names)}
        kept = [bout for bout in bouts if all(name in known for name in bout[0])]
        who = np.array([[known[name] for name in bout[0]] for bout in kept], np.int64)
        scores = np.array([bout[1] for bout in kept], float).reshape(len(kept), seats)
        order = np.argsort(-scores, axis=1, kind="stable")
        self.who: Ints = np.take_along_axis(who.reshape(len(kept), seats), order, 1)
        self.seat: Ints = order + len(names)
        ranked = np.take_along_axis(scores, order, 1)
        self.rivals = ranked[:, None, :] <= ranked[:, :, None]
        """For each place: among whom it was drawn."""
        self.size = len(names) + seats
        self.precision = np.full(self.size, (ELO_PER_NATURAL_UNIT / prior) ** 2)
        self.precision[len(names) :] = (ELO_PER_NATURAL_UNIT / SEAT_PRIOR_ELO) ** 2

    def derivatives(self, x: Floats) -> tuple[Floats, Floats]:
        """Gradient and curvature of the negative log posterior."""
        gradient = self.precision * x
        matrix = np.diag(self.precision)
        weight = np.exp(x[self.who] + x[self.seat])
        for place in range(self.seats):
            chance = np.where(self.rivals[:, place], weight, 0.0)
            chance /= chance.sum(axis=1, keepdims=True)
            drawn = np.zeros_like(chance)
            drawn[:, place] = 1.0
            for column in range(self.seats):
                for index in (self.who, self.seat):
                    np.add.at(gradient, index[:, column], (chance - drawn)[:, column])
            self._add_curvature(matrix, chance)
        return gradient, matrix

    def _add_curvature(self, matrix: Floats, chance: Floats) -> None:
        for a in range(self.seats):
            for b in range(self.seats):
                value = (chance[:, a] if a == b else 0.0) - chance[:, a] * chance[:, b]
                for one in (self.who, self.seat):
                    for other in (self.who, self.seat):
                        np.add.at(matrix, (one[:, a], other[:, b]), value)

    def ratings(self, x: Floats) -> tuple[Ratings, list[float]]:
        count = len(self.names)
        _, matrix = self.derivatives(x)
        inverse: Floats = np.asarray(np.linalg.inv(matrix), float) * ELO_PER_NATURAL_UNIT**2
        covariance = center_covariance(inverse[:count, :count])
        elo, seats = x[:count] * ELO_PER_NATURAL_UNIT, x[count:] * ELO_PER_NATURAL_UNIT
        found = Ratings(
            names=self.names,
            elo=elo - (elo.mean() if count else 0.0),
            deviation=np.sqrt(np.maximum(0.0, np.diag(covariance))),
            covariance=covariance,
            bouts=np.bincount(self.who.ravel(), minlength=count),
            seat=float(seats[0] - seats.mean()),
            seat_deviation=math.sqrt(inverse[count, count]),
            nu=0.0,
        )
        return found, [float(value) for value in seats - seats.mean()]
