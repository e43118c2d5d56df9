"""Symmetric matrices, compiled: solving, inverting, and covariances relative to a mean.

A matrix is one flat array, row after row. Those that are solved and inverted are positive definite,
as second derivatives at a minimum are, so Cholesky's factors exist and need no pivoting. Everything
is a product of parts of two rows; ``multiply_rows`` computes four of them at once, because a
processor adds four sums side by side in the time of one.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import cython

if TYPE_CHECKING:
    from ludus.rating.davidson import Floats, Ints

if not cython.compiled:
    from math import sqrt
else:
    from cython.cimports.libc.math import sqrt  # type: ignore[no-redef]

IS_COMPILED: bool = cython.compiled
BLOCK = cython.declare(cython.Py_ssize_t, 4)
"""Rows that ``multiply_rows`` multiplies at once."""


def make_zeros(count: int) -> Floats:
    """So many zeros."""
    return array("d", bytes(8 * count))


def solve(matrix: Floats, target: Floats) -> Floats:
    """The vector whose product with a positive definite ``matrix`` is ``target``."""
    lower, found = array("d", matrix), array("d", target)
    factorize(lower, len(found))
    substitute(lower, found)
    return found


def invert(matrix: Floats, size: int) -> Floats:
    """The inverse of a positive definite matrix."""
    found = array("d", matrix)
    factorize(found, size)
    invert_factor(found, size)
    multiply_factors(found, size)
    return found


def diagonal(matrix: Floats, size: int) -> Floats:
    return matrix[:: size + 1] if size else array("d")


@cython.locals(inner="const double[::1]", out="double[::1]")
def scale(matrix: Floats, factor: float) -> Floats:
    """Every number of it times a factor."""
    found = make_zeros(len(matrix))
    inner, out = matrix, found
    by: cython.double = factor
    i: cython.Py_ssize_t
    for i in range(len(inner)):
        out[i] = by * inner[i]
    return found


@cython.locals(inner="const double[::1]", out="double[::1]", places="const long long[::1]")
def select(matrix: Floats, size: int, chosen: Ints) -> Floats:
    """The rows and columns at the ``chosen`` places alone, in their order."""
    count: cython.Py_ssize_t = len(chosen)
    width: cython.Py_ssize_t = size
    found = make_zeros(count * count)
    inner, out, places = matrix, found, chosen
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    for i in range(count):
        for j in range(count):
            out[i * count + j] = inner[places[i] * width + places[j]]
    return found


@cython.locals(inner="const double[::1]", out="double[::1]", mean="double[::1]")
def center(matrix: Floats, size: int) -> Floats:
    """The covariance of the same variables relative to their mean."""
    width: cython.Py_ssize_t = size
    found, means = make_zeros(width * width), make_zeros(width)
    inner, out, mean = matrix, found, means
    whole: cython.double = 0.0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    for i in range(width):
        for j in range(width):
            mean[j] += inner[i * width + j]
    for i in range(width):
        mean[i] /= width
        whole += mean[i]
    for i in range(width):
        for j in range(width):
            out[i * width + j] = inner[i * width + j] - mean[i] - mean[j] + whole / width
    return found


@cython.cfunc
@cython.exceptval(check=False)
@cython.locals(a="double[::1]", sums="double[::1]")
def multiply_rows(
    a: Any,
    sums: Any,
    row: cython.Py_ssize_t,
    others: cython.Py_ssize_t,
    width: cython.Py_ssize_t,
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
) -> cython.void:
    """The products of a row and of four rows that follow each other, between two columns."""
    one: cython.double = 0.0
    two: cython.double = 0.0
    three: cython.double = 0.0
    four: cython.double = 0.0
    k: cython.Py_ssize_t
    row, others = row * width, others * width
    for k in range(begin, end):
        one += a[row + k] * a[others + k]
        two += a[row + k] * a[others + width + k]
        three += a[row + k] * a[others + 2 * width + k]
        four += a[row + k] * a[others + 3 * width + k]
    sums[0], sums[1], sums[2], sums[3] = one, two, three, four


@cython.cfunc
@cython.exceptval(check=False)
@cython.locals(a="double[::1]")
def multiply(
    a: Any,
    row: cython.Py_ssize_t,
    other: cython.Py_ssize_t,
    width: cython.Py_ssize_t,
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
) -> cython.double:
    """The product of two rows between two columns."""
    found: cython.double = 0.0
    k: cython.Py_ssize_t
    for k in range(begin, end):
        found += a[row * width + k] * a[other * width + k]
    return found


@cython.locals(a="double[::1]", sums="double[::1]")
def factorize(matrix: Floats, size: int) -> None:
    """Cholesky: the lower triangle L with L·Lᵀ = matrix, in place; what lies above stays."""
    n: cython.Py_ssize_t = size
    a, sums = matrix, make_zeros(BLOCK)
    top: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    for top in range(0, n, BLOCK):
        if top + BLOCK <= n:
            for j in range(top):
                multiply_rows(a, sums, j, top, n, 0, j)
                for i in range(BLOCK):
                    a[(top + i) * n + j] = (a[(top + i) * n + j] - sums[i]) / a[j * n + j]
        for i in range(top, min(top + BLOCK, n)):
            for j in range(top if top + BLOCK <= n else 0, i):
                a[i * n + j] = (a[i * n + j] - multiply(a, i, j, n, 0, j)) / a[j * n + j]
            a[i * n + i] = sqrt(a[i * n + i] - multiply(a, i, i, n, 0, i))


@cython.locals(a="double[::1]", x="double[::1]")
def substitute(lower: Floats, vector: Floats) -> None:
    """Solve L·Lᵀ·x = vector, in place."""
    n: cython.Py_ssize_t = len(vector)
    a, x = lower, vector
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    for i in range(n):
        for j in range(i):
            x[i] -= a[i * n + j] * x[j]
        x[i] /= a[i * n + i]
    for i in range(n - 1, -1, -1):
        x[i] /= a[i * n + i]
        for j in range(i):
            x[j] -= a[i * n + j] * x[i]


@cython.locals(a="double[::1]", sums="double[::1]")
def invert_factor(matrix: Floats, size: int) -> None:
    """From L below and on the diagonal to the transposed inverse of L above and on the diagonal.

    Row j of that grows to the right: every entry needs those to its left, and a row of L.
    """
    n: cython.Py_ssize_t = size
    a, sums = matrix, make_zeros(BLOCK)
    top: cython.Py_ssize_t
    last: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    for i in range(n):
        a[i * n + i] = 1 / a[i * n + i]
    for top in range(0, n, BLOCK):
        last = min(top + BLOCK, n) - 1
        for j in range(top, last + 1):
            for i in range(j + 1, last + 1):
                a[j * n + i] = -multiply(a, i, j, n, j, i) * a[i * n + i]
        for i in range(last + 1, n):
            multiply_rows(a, sums, i, top, n, last, i)
            for j in range(BLOCK):
                sums[j] += multiply(a, i, top + j, n, top + j, last)
                a[(top + j) * n + i] = -sums[j] * a[i * n + i]


@cython.locals(a="double[::1]", sums="double[::1]")
def multiply_factors(matrix: Floats, size: int) -> None:
    """From the transposed inverse U of L, above and on the diagonal, to the whole U·Uᵀ."""
    n: cython.Py_ssize_t = size
    a, sums = matrix, make_zeros(BLOCK)
    top: cython.Py_ssize_t
    last: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    for top in range(0, n, BLOCK):
        last = min(top + BLOCK, n) - 1
        for j in range(last + 1, n):
            multiply_rows(a, sums, j, top, n, j, n)
            for i in range(BLOCK):
                a[j * n + top + i] = sums[i]
        for i in range(top, last + 1):
            for j in range(i + 1, last + 1):
                a[j * n + i] = multiply(a, i, j, n, j, n)
            a[i * n + i] = multiply(a, i, i, n, i, n)
    for i in range(n):
        for j in range(i):
            a[j * n + i] = a[i * n + j]
