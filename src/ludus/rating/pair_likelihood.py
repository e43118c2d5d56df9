"""The log-likelihood ratio of two claims about the mean of mirrored pairs, compiled.

Simulations of ``sprt`` ask for it after every pair of thousands of matches.
"""

from __future__ import annotations

from collections.abc import Sequence

import cython

from ludus.rating.scores import PAIR_KINDS

if not cython.compiled:
    from math import fabs, log
else:
    from cython.cimports.libc.math import fabs, log  # type: ignore[no-redef]

KINDS = cython.declare(cython.int, PAIR_KINDS)
MAX_STEPS = 50


def log_likelihood_ratio(counts: Sequence[float], mean0: float, mean1: float) -> float:
    """log P(counts | mean1) − log P(counts | mean0), each with its best-fitting frequencies.

    ``counts`` are those of the five kinds of pairs, all above 0; a mean is a share of points.
    """
    if cython.compiled:
        seen = cython.declare(cython.double[5])  # type: ignore[misc, valid-type]
    else:
        seen = [0.0] * KINDS
    kind: cython.int
    total: cython.double = 0.0
    for kind in range(KINDS):
        seen[kind] = counts[kind]
        total += seen[kind]
    for kind in range(KINDS):
        seen[kind] /= total
    tilt0: cython.double = find_tilt(seen, mean0)
    tilt1: cython.double = find_tilt(seen, mean1)
    sum0: cython.double = 0.0
    sum1: cython.double = 0.0
    found: cython.double = 0.0
    for kind in range(KINDS):
        divisor0: cython.double = 1 + tilt0 * (kind / 4.0 - mean0)
        divisor1: cython.double = 1 + tilt1 * (kind / 4.0 - mean1)
        sum0 += seen[kind] / divisor0
        sum1 += seen[kind] / divisor1
        found += seen[kind] * (log(divisor0) - log(divisor1))
    return total * (found + log(sum0) - log(sum1))


@cython.cfunc
@cython.exceptval(check=False)
def find_tilt(seen: cython.p_double, mean: cython.double) -> cython.double:
    """What makes the likeliest frequencies with this mean of those seen.

    They are ``seen / (1 + t·(value − mean))`` for the one ``t`` that gives them this mean, which
    lies where all denominators are positive. The equation falls in ``t``: Newton's steps find it,
    and halving where such a step would leave the bounds.
    """
    inside: cython.double = 1 - 1e-12
    low: cython.double = -inside / (1 - mean)
    high: cython.double = inside / mean
    t: cython.double = 0.0
    kind: cython.int
    for _ in range(MAX_STEPS):
        value: cython.double = 0.0
        slope: cython.double = 0.0
        for kind in range(KINDS):
            off: cython.double = kind / 4.0 - mean
            share: cython.double = off / (1 + t * off)
            value += seen[kind] * share
            slope += seen[kind] * share * share
        if value > 0:
            low = t
        else:
            high = t
        step: cython.double = value / slope
        t = t + step if low <= t + step <= high else (low + high) / 2
        if fabs(step) < 1e-12:
            break
    return t
