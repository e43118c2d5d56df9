"""How a bout between two goes, by Davidson's model of wins, draws and losses."""

from __future__ import annotations

import math
from array import array
from typing import NamedTuple, TypeAlias

Floats: TypeAlias = "array[float]"
"""A column of numbers, ``array("d", …)``, which compiled code reads without converting it."""
Ints: TypeAlias = "array[int]"
"""A column of whole numbers, ``array("q", …)``."""


class BoutChances(NamedTuple):
    """What is to be expected of a bout."""

    win: float
    draw: float
    loss: float

    @property
    def score(self) -> float:
        return self.win + self.draw / 2

    @property
    def information(self) -> float:
        """How much the bout tells about the difference of strength."""
        return (1 - self.draw - (self.win - self.loss) ** 2) / 4


def compute_chances(difference: float, nu: float) -> BoutChances:
    """From a difference of strength in natural units; ``nu`` makes draws."""
    half = min(max(difference / 2, -300.0), 300.0)
    win, loss = math.exp(half), math.exp(-half)
    total = win + loss + nu
    return BoutChances(win / total, nu / total, loss / total)
