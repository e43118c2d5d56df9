"""Chooses openings that favour no seat.

How many points seat 0 gets from an opening is estimated from two things: the evaluation of its
position, and the results of a few bouts from it. Results of a few bouts are mostly luck, and a
selection by luck is not balanced when it is played again. So every opening's results are moved
towards what openings of its evaluation have on average, by as much as results differ by luck
(an empirical Bayes estimate): the reliability says which part of the difference between openings is
theirs, and only that part is believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ludus.games.openings import OpeningMoves

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class JudgedOpening:
    """An opening, and what judges found."""

    moves: OpeningMoves
    evaluation: float
    """For seat 0; 0 is even."""
    results: tuple[float, ...]
    """The points of seat 0 in bouts from it, one for each player."""


@dataclass(frozen=True, slots=True)
class SeatShares:
    """Estimates of the points per bout that seat 0 gets from openings."""

    shares: Floats
    reliability: float
    """The part of the results' variance that repeats: 0 if all of it is luck, 1 if none."""


def estimate_shares(openings: Sequence[JudgedOpening]) -> SeatShares:
    """The share of seat 0 from each opening, by its evaluation and its results."""
    results = np.array([opening.results for opening in openings], np.float64)
    expected = fit_line(
        np.array([opening.evaluation for opening in openings]), results.mean(axis=1)
    )
    residuals = results.mean(axis=1) - expected
    reliability = estimate_reliability(results - results.mean(axis=0), residuals)
    return SeatShares(expected + reliability * residuals, reliability)


def fit_line(x: Floats, y: Floats) -> Floats:
    """The least-squares line through points, at each x; the mean if all x are equal."""
    spread = x - x.mean()
    square = float(spread @ spread)
    slope = float(spread @ y) / square if square > 0 else 0.0
    line: Floats = y.mean() + slope * spread
    return line


def estimate_reliability(results: Floats, residuals: Floats) -> float:
    """One less the share of luck in the variance of the openings' mean results."""
    bouts = results.shape[1]
    total = float(residuals.var())
    if bouts < 2 or total <= 0:
        return 0.0
    luck = float(results.var(axis=1, ddof=1).mean()) / bouts
    return float(max(0.0, 1 - luck / total))


def select_balanced(shares: Floats, evaluations: Floats, count: int, aim: float = 0.5) -> list[int]:
    """The numbers of ``count`` openings near a share of ``aim`` whose mean it is, best first.

    Fewer if one seat is favoured by too few openings to make up for the others.
    """
    leads = shares - aim
    order = sorted(range(len(leads)), key=lambda i: (abs(leads[i]), abs(evaluations[i])))
    chosen = [i for i in order if leads[i] == 0][:count]
    ahead = iter([i for i in order if leads[i] > 0])
    behind = iter([i for i in order if leads[i] < 0])
    total = 0.0
    while len(chosen) < count:
        number = next(ahead if total <= 0 else behind, None)
        if number is None:
            break
        chosen.append(number)
        total += float(leads[number])
    return chosen
