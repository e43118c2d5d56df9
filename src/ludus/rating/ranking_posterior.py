"""The sums over all bouts that ``plackett_luce`` maximises, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cython

from ludus.rating.matrices import make_zeros

if TYPE_CHECKING:
    from ludus.rating.davidson import Floats, Ints

if not cython.compiled:
    from math import exp
else:
    from cython.cimports.libc.math import exp  # type: ignore[no-redef]


@cython.locals(
    x="const double[::1]",
    spread="const double[::1]",
    who="const long long[::1]",
    points="const double[::1]",
    gradient="double[::1]",
    matrix="double[::1]",
    weight="double[::1]",
)
def differentiate(
    point: Floats, precision: Floats, seats: int, entrants: Ints, scores: Floats
) -> tuple[Floats, Floats]:
    """The gradient of the negative log posterior, and its second derivatives row after row.

    ``point`` are the strengths of entrants, then those of the ``seats``, with normal priors around
    0 of this ``precision``. ``entrants`` and ``scores`` go seat by seat through one bout, then the
    next.
    """
    size: cython.Py_ssize_t = len(point)
    chairs: cython.Py_ssize_t = seats
    slopes, curves = make_zeros(size), make_zeros(size * size)
    x, spread, who, points = point, precision, entrants, scores
    gradient, matrix, weight = slopes, curves, make_zeros(chairs)
    bout: cython.Py_ssize_t
    place: cython.Py_ssize_t
    a: cython.Py_ssize_t
    b: cython.Py_ssize_t
    for a in range(size):
        gradient[a] = spread[a] * x[a]
        matrix[a * size + a] = spread[a]
    for bout in range(0, len(who), chairs):
        for place in range(chairs):
            total: cython.double = 0.0
            for a in range(chairs):
                weight[a] = 0.0
                if points[bout + a] <= points[bout + place]:
                    weight[a] = exp(x[who[bout + a]] + x[size - chairs + a])
                total += weight[a]
            for a in range(chairs):
                weight[a] /= total
            for a in range(chairs):
                one: cython.Py_ssize_t = who[bout + a]
                chair: cython.Py_ssize_t = size - chairs + a
                slope: cython.double = weight[a] - (1.0 if a == place else 0.0)
                gradient[one] += slope
                gradient[chair] += slope
                for b in range(chairs):
                    other: cython.Py_ssize_t = who[bout + b]
                    value: cython.double = -weight[a] * weight[b]
                    if a == b:
                        value += weight[a]
                    matrix[one * size + other] += value
                    matrix[one * size + size - chairs + b] += value
                    matrix[chair * size + other] += value
                    matrix[chair * size + size - chairs + b] += value
    return slopes, curves
