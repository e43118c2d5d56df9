"""Sums over all pairs of entrants, compiled.

They are what ``bradley_terry`` maximises, and how much mirrored pairs scatter around that, for
``paired_ratings``.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple

import cython

from ludus.rating.matrices import make_zeros

if TYPE_CHECKING:
    from ludus.rating.davidson import Floats, Ints

if not cython.compiled:
    from math import exp, fabs, log1p
else:
    from cython.cimports.libc.math import exp, fabs, log1p  # type: ignore[no-redef]

MAX_SOLVER_ROUNDS = 500


class PairPosterior:
    """The negative log posterior of bouts that were counted by pairs, and its derivatives.

    A point is an array of ``size`` strengths, the seat's advantage and ``log(nu)``; each has a
    normal prior of a ``mean`` and a ``precision``. Second derivatives are those at the point where
    ``differentiate`` was last.
    """

    def __init__(
        self,
        seats: tuple[Ints, Ints],
        results: tuple[Floats, Floats, Floats],
        mean: Floats,
        precision: Floats,
    ) -> None:
        """``seats``: who sat first and second, for each pair; ``results``: what the first won, drew
        and lost."""
        self.seats, self.results = seats, results
        self.mean, self.precision = mean, precision
        self.size, self.pairs = len(mean) - 2, len(seats[0])
        self.weight, self.mixed, self.draws = array("d"), array("d"), 0.0

    @cython.locals(
        x="const double[::1]",
        first="const long long[::1]",
        second="const long long[::1]",
        won="const double[::1]",
        drawn="const double[::1]",
        lost="const double[::1]",
        mean="const double[::1]",
        precision="const double[::1]",
    )
    def value(self, point: Floats) -> float:
        """The negative log posterior at a point, but for a constant."""
        x, mean, precision = point, self.mean, self.precision
        first, second = self.seats
        won, drawn, lost = self.results
        size: cython.Py_ssize_t = self.size
        place: cython.Py_ssize_t
        log_nu: cython.double = x[size + 1]
        found: cython.double = 0.0
        for place in range(len(first)):
            d: cython.double = x[first[place]] - x[second[place]] + x[size]
            half: cython.double = fabs(d) / 2
            total: cython.double = half + log1p(exp(-2 * half) + exp(log_nu - half))
            found += (won[place] + drawn[place] + lost[place]) * total
            found -= (won[place] - lost[place]) * d / 2 + drawn[place] * log_nu
        for place in range(size + 2):
            off: cython.double = x[place] - mean[place]
            found += precision[place] * off * off / 2
        return found

    @cython.locals(
        x="const double[::1]",
        first="const long long[::1]",
        second="const long long[::1]",
        won="const double[::1]",
        drawn="const double[::1]",
        lost="const double[::1]",
        mean="const double[::1]",
        precision="const double[::1]",
        gradient="double[::1]",
        weight="double[::1]",
        mixed="double[::1]",
    )
    def differentiate(self, point: Floats) -> Floats:
        """The gradient at a point; second derivatives are kept."""
        found = make_zeros(self.size + 2)
        self.weight, self.mixed = make_zeros(self.pairs), make_zeros(self.pairs)
        x, mean, precision = point, self.mean, self.precision
        gradient, weight, mixed = found, self.weight, self.mixed
        first, second = self.seats
        won, drawn, lost = self.results
        place: cython.Py_ssize_t
        seat: cython.Py_ssize_t = self.size
        nu: cython.double = exp(x[seat + 1])
        draws: cython.double = 0.0
        for place in range(seat + 2):
            gradient[place] = precision[place] * (x[place] - mean[place])
        for place in range(len(first)):
            d: cython.double = x[first[place]] - x[second[place]] + x[seat]
            win: cython.double = exp(min(max(d / 2, -300.0), 300.0))
            total: cython.double = win + 1 / win + nu
            draw: cython.double = nu / total
            lead: cython.double = (win - 1 / win) / total
            n: cython.double = won[place] + drawn[place] + lost[place]
            slope: cython.double = (won[place] - lost[place] - n * lead) / 2
            gradient[first[place]] -= slope
            gradient[second[place]] += slope
            gradient[seat] -= slope
            gradient[seat + 1] -= drawn[place] - n * draw
            weight[place] = n * (1 - draw - lead * lead) / 4
            mixed[place] = -n * draw * lead / 2
            draws += n * draw * (1 - draw)
        self.draws = draws
        return found

    @cython.locals(
        first="const long long[::1]",
        second="const long long[::1]",
        weight="const double[::1]",
        out="double[::1]",
    )
    def diagonal(self) -> Floats:
        """Of the matrix of second derivatives."""
        found = array("d", self.precision)
        out, weight = found, self.weight
        first, second = self.seats
        size: cython.Py_ssize_t = self.size
        pair: cython.Py_ssize_t
        for pair in range(len(first)):
            out[first[pair]] += weight[pair]
            out[second[pair]] += weight[pair]
            out[size] += weight[pair]
        found[size + 1] += self.draws
        return found

    @cython.locals(
        first="const long long[::1]",
        second="const long long[::1]",
        weight="const double[::1]",
        mixed="const double[::1]",
        line="const double[::1]",
        out="double[::1]",
    )
    def matrix(self) -> Floats:
        """The second derivatives, row after row."""
        width: cython.Py_ssize_t = self.size + 2
        seat: cython.Py_ssize_t = self.size
        found = make_zeros(width * width)
        out, line, weight, mixed = found, self.diagonal(), self.weight, self.mixed
        first, second = self.seats
        pair: cython.Py_ssize_t
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        for i in range(width):
            out[i * width + i] = line[i]
        for pair in range(len(first)):
            i, j = first[pair], second[pair]
            out[i * width + j] -= weight[pair]
            out[j * width + i] -= weight[pair]
            out[seat * width + i] += weight[pair]
            out[seat * width + j] -= weight[pair]
            out[(seat + 1) * width + i] += mixed[pair]
            out[(seat + 1) * width + j] -= mixed[pair]
            out[(seat + 1) * width + seat] += mixed[pair]
        for i in range(seat, width):
            for j in range(i):
                out[j * width + i] = out[i * width + j]
        return found

    @cython.locals(
        first="const long long[::1]",
        second="const long long[::1]",
        weight="const double[::1]",
        mixed="const double[::1]",
        precision="const double[::1]",
        inner="const double[::1]",
        out="double[::1]",
    )
    def multiply(self, vector: Floats, found: Floats) -> None:
        """Write the product of the matrix of second derivatives and a vector to ``found``."""
        inner, out, precision = vector, found, self.precision
        weight, mixed = self.weight, self.mixed
        first, second = self.seats
        place: cython.Py_ssize_t
        seat: cython.Py_ssize_t = self.size
        for place in range(seat + 2):
            out[place] = precision[place] * inner[place]
        for place in range(len(first)):
            d: cython.double = inner[first[place]] - inner[second[place]] + inner[seat]
            pulled: cython.double = weight[place] * d + mixed[place] * inner[seat + 1]
            out[first[place]] += pulled
            out[second[place]] -= pulled
            out[seat] += pulled
            out[seat + 1] += mixed[place] * d
        found[seat + 1] += self.draws * vector[seat + 1]

    @cython.locals(
        x="double[::1]",
        rest="double[::1]",
        z="double[::1]",
        way="double[::1]",
        moved="const double[::1]",
        line="const double[::1]",
    )
    def solve(self, target: Floats, tolerance: float) -> Floats:
        """The vector whose product with the second derivatives is ``target``: conjugate gradients.

        The matrix has a row for every entrant and is almost empty: only pairs that met have an
        entry. So it is never built; each round multiplies it by a vector, at the cost of one
        visit to every such pair, and improves the answer. Dividing by the diagonal first makes
        entrants of ten and of ten thousand bouts comparable, so that some dozens of rounds do.
        The answer is good to a share of ``tolerance`` of its (squared) size.
        """
        width: cython.Py_ssize_t = self.size + 2
        found, direction, product = make_zeros(width), make_zeros(width), make_zeros(width)
        x, way, moved, z = found, direction, product, make_zeros(width)
        rest, line = array("d", target), self.diagonal()
        i: cython.Py_ssize_t
        step: cython.double
        before: cython.double
        size: cython.double = 0.0
        for i in range(width):
            way[i] = z[i] = rest[i] / line[i]
            size += rest[i] * z[i]
        enough: cython.double = max(1e-20, tolerance * size)
        for _ in range(MAX_SOLVER_ROUNDS):
            if size < enough:
                break
            self.multiply(direction, product)
            step = 0.0
            for i in range(width):
                step += way[i] * moved[i]
            step, before, size = size / step, size, 0.0
            for i in range(width):
                x[i] += step * way[i]
                rest[i] -= step * moved[i]
                z[i] = rest[i] / line[i]
                size += rest[i] * z[i]
            for i in range(width):
                way[i] = z[i] + size / before * way[i]
        return found


class PairScatter(NamedTuple):
    """Sums over all mirrored pairs."""

    expected: float
    """The variance of a pair's points if its two bouts were independent."""
    entrants: float
    """The squared surprise in what one entrant got in both bouts."""
    seats: float
    """The squared surprise in what the first seat got in both bouts."""


@cython.locals(
    ones="const long long[::1]",
    others="const long long[::1]",
    scores="const double[::1]",
    replies="const double[::1]",
    counts="const double[::1]",
    x="const double[::1]",
)
def measure_scatter(
    entrants: tuple[Ints, Ints],
    results: tuple[Floats, Floats, Floats],
    strength: Floats,
    seat: float,
    nu: float,
) -> PairScatter:
    """Of pairs of ``entrants``; ``results`` are what the first and what the second of them got
    sitting first, and how often. Strengths and the seat's advantage are in natural units."""
    ones, others = entrants
    scores, replies, counts = results
    x = strength
    advantage: cython.double = seat
    draws: cython.double = nu
    expected: cython.double = 0.0
    by_entrant: cython.double = 0.0
    by_seat: cython.double = 0.0
    line: cython.Py_ssize_t
    for line in range(len(counts)):
        gap: cython.double = x[ones[line]] - x[others[line]]
        half: cython.double = min(max((gap + advantage) / 2, -300.0), 300.0)
        total: cython.double = exp(half) + exp(-half) + draws
        lead: cython.double = (exp(half) - exp(-half)) / total
        surprise: cython.double = scores[line] - (1 + lead) / 2
        variance: cython.double = (1 - draws / total - lead * lead) / 4
        half = min(max((advantage - gap) / 2, -300.0), 300.0)
        total = exp(half) + exp(-half) + draws
        lead = (exp(half) - exp(-half)) / total
        reply: cython.double = replies[line] - (1 + lead) / 2
        variance += (1 - draws / total - lead * lead) / 4
        expected += counts[line] * variance
        by_entrant += counts[line] * (surprise - reply) * (surprise - reply)
        by_seat += counts[line] * (surprise + reply) * (surprise + reply)
    return PairScatter(expected, by_entrant, by_seat)
