"""How a bout between two goes, by Davidson's model of wins, draws and losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BoutChances:
    """What is to be expected of a bout, for many bouts at once."""

    win: Floats
    draw: Floats
    loss: Floats

    @property
    def score(self) -> Floats:
        return self.win + self.draw / 2

    @property
    def information(self) -> Floats:
        """How much one bout tells about the difference of strength."""
        return (1 - self.draw - (self.win - self.loss) ** 2) / 4


def compute_chances(difference: Any, nu: float) -> BoutChances:
    """From a difference of strength in natural units; ``nu`` makes draws."""
    half = np.clip(np.asarray(difference, float) / 2, -300, 300)
    win, loss = np.exp(half), np.exp(-half)
    total = win + loss + nu
    return BoutChances(win / total, nu / total, loss / total)
