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
from array import array
from collections.abc import Iterable, Sequence

from ludus.rating.davidson import Floats
from ludus.rating.elo import ELO_PER_NATURAL_UNIT
from ludus.rating.matrices import center, invert, make_zeros, scale, select, solve
from ludus.rating.ranking_posterior import differentiate
from ludus.rating.ratings import (
    SEAT_PRIOR_ELO,
    STRENGTH_PRIOR_ELO,
    Ratings,
    compute_deviations,
    subtract_mean,
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
    x = make_zeros(model.size)
    for _ in range(100):
        gradient, matrix = model.derivatives(x)
        step = solve(matrix, gradient)
        widest = max(map(abs, step), default=0.0)
        length = min(1.0, 2.0 / max(widest, 1e-12))
        x = array("d", [at - length * move for at, move in zip(x, step, strict=True)])
        if length * widest < 1e-9:
            break
    return model.ratings(x)


class RankingModel:
    """Bouts as columns, seat by seat and bout by bout, and the prior of their posterior."""

    def __init__(
        self, names: Sequence[str], bouts: Iterable[RankedBout], seats: int, prior: float
    ) -> None:
        self.names, self.seats = tuple(names), seats
        known = {name: number for number, name in enumerate(names)}
        self.who, self.scores = array("q"), array("d")
        for entrants, scores in bouts:
            if all(name in known for name in entrants):
                self.who.extend(known[name] for name in entrants)
                self.scores.extend(scores)
        self.size = len(names) + seats
        self.precision = array("d", [(ELO_PER_NATURAL_UNIT / prior) ** 2] * len(names))
        self.precision.extend([(ELO_PER_NATURAL_UNIT / SEAT_PRIOR_ELO) ** 2] * seats)

    def derivatives(self, x: Floats) -> tuple[Floats, Floats]:
        """Gradient and curvature of the negative log posterior."""
        return differentiate(x, self.precision, self.seats, self.who, self.scores)

    def ratings(self, x: Floats) -> tuple[Ratings, list[float]]:
        count = len(self.names)
        _, matrix = self.derivatives(x)
        inverse = scale(invert(matrix, self.size), ELO_PER_NATURAL_UNIT**2)
        covariance = center(select(inverse, self.size, array("q", range(count))), count)
        bouts = array("q", bytes(8 * count))
        for place in self.who:
            bouts[place] += 1
        seats = subtract_mean(each * ELO_PER_NATURAL_UNIT for each in x[count:])
        found = Ratings(
            names=self.names,
            elo=subtract_mean(each * ELO_PER_NATURAL_UNIT for each in x[:count]),
            deviation=compute_deviations(covariance, count),
            covariance=covariance,
            bouts=bouts,
            seat=seats[0],
            seat_deviation=math.sqrt(inverse[count * self.size + count]),
            nu=0.0,
        )
        return found, list(seats)
