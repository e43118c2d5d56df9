"""Many bouts of known chances at once, as columns of numpy."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.rating.bradley_terry import PairCounts

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
PAIR_SCORES: Floats = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
"""Score per bout of each kind of pair."""


class ChanceColumns(NamedTuple):
    """What is to be expected of each of many bouts."""

    win: Floats
    draw: Floats
    loss: Floats


def compute_chances(difference: Any, nu: float) -> ChanceColumns:
    """By Davidson's model, from differences of strength in natural units."""
    half = np.asarray(difference, float) / 2
    weights = np.exp(half), np.full(half.shape, nu), np.exp(-half)
    total = sum(weights)
    return ChanceColumns(*(weight / total for weight in weights))


def draw_scores(chances: ChanceColumns, rng: np.random.Generator) -> Floats:
    """What the first seat got."""
    lot = rng.random(chances.win.shape)
    won, drawn = lot < chances.win, lot < chances.win + chances.draw
    return np.where(won, 1.0, np.where(drawn, 0.5, 0.0))


def count_pairs(names: Sequence[str], first: Ints, second: Ints, score: Floats) -> PairCounts:
    """Bouts that are columns, counted."""
    keys, where = np.unique(first * len(names) + second, return_inverse=True)
    won, drawn, lost = (
        array("d", np.bincount(where[score == value], minlength=len(keys)).astype(float))
        for value in (1.0, 0.5, 0.0)
    )
    seats = (array("q", column.tolist()) for column in np.divmod(keys, len(names)))
    return PairCounts(tuple(names), *seats, won, drawn, lost)
