"""How much mirrored pairs scatter around what a model expects of them, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import cython

if TYPE_CHECKING:
    from ludus.rating.davidson import Floats, Ints

if not cython.compiled:
    from math import exp
else:
    from cython.cimports.libc.math import exp  # type: ignore[no-redef]


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
