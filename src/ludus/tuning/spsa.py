"""Simultaneous perturbation stochastic approximation (Spall), on the results of mirrored pairs.

Every iteration changes *all* values at once, each up or down at random, and lets the changed
version play against its mirror image (the same changes with the sign turned). If the first wins,
all values move a little in its direction, otherwise in the other. Part of the move of each value is
due to the others, but their changes are random and cancel out; so the cost of an iteration does not
grow with the number of values.

Values here are in units of their range: 0 is the lower bound, 1 the upper one.

**How far.** At iteration k of N the change is ``step · (N / (k+1))^GAMMA``: it ends at ``step``.
The move is the change times the points by which the first version won, times a gain that falls
like ``1 / (k + N/10)^ALPHA`` and ends at ``rate``. Both exponents are Spall's. Once a value has
arrived, the results of bouts, which are mostly luck, still move it; the resulting loss in Elo
is about ``22 · rate`` for each value, whatever the step.

**The result** is the mean of the second half of the values' path. The mean needs no small gains to
become exact, so ``rate`` can be large enough to arrive from far away.

**Several cores.** Iteration k starts from the values after iteration ``k - lag``, so that ``lag``
iterations can be under way at once. Results are applied in the order of their iterations. So the
path depends on the seed and on the results alone, not on which bout ended first: a tuning that was
killed and continued takes the same path.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

ALPHA, GAMMA = 0.602, 0.101
DEFAULT_RATE = 0.02
DEFAULT_STEP = 0.1
"""The change of a value at the end, in units of its range."""
STABILITY_SHARE = 0.1
"""The share of all iterations that are added to k in the gain, so that the first moves are not
huge."""
RESULT_SHARE = 0.5
"""The share of the path, from its end, whose mean is the result."""

Values = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SpsaSettings:
    """What fixes the path of the values, together with the results."""

    start: Values
    steps: Values
    """The change of each value at the end."""
    iterations: int
    seed: int = 0
    rate: float = DEFAULT_RATE
    lag: int = 1

    def scale_step(self, iteration: int) -> float:
        """How many times as large as at the end the changes are."""
        return math.pow(self.iterations / (iteration + 1), GAMMA)

    def compute_gain(self, iteration: int) -> float:
        """By how many times its change a value moves for each point."""
        ahead = STABILITY_SHARE * self.iterations
        falling = (self.iterations + ahead) / (iteration + 1 + ahead)
        return self.rate * math.pow(falling, ALPHA) / self.scale_step(iteration) ** 2


@dataclass(frozen=True, slots=True)
class Perturbation:
    """The two versions that play each other in an iteration."""

    iteration: int
    plus: Values
    minus: Values
    changes: Values
    """What was added to the values for ``plus``, and subtracted for ``minus``."""
    rounding: Values
    """A number between 0 and 1 for each value, by which both versions round it to whole numbers:
    ``floor(value + rounding)`` is right on average."""


class Spsa:
    """The path of the values. Any results may be added in any order; each counts once."""

    def __init__(self, settings: SpsaSettings) -> None:
        self.settings = settings
        self.path: list[Values] = [settings.start]
        """The values after 0, 1, 2 … iterations, as far as all earlier results are known."""
        self._waiting: dict[int, float] = {}

    @property
    def values(self) -> Values:
        """The latest values."""
        return self.path[-1]

    @property
    def is_complete(self) -> bool:
        return len(self.path) > self.settings.iterations

    def has_result(self, iteration: int) -> bool:
        return iteration < len(self.path) - 1 or iteration in self._waiting

    def can_perturb(self, iteration: int) -> bool:
        """Whether all results are known that the iteration starts from."""
        return self._origin(iteration) < len(self.path)

    def _origin(self, iteration: int) -> int:
        return max(0, iteration + 1 - self.settings.lag)

    def perturb(self, iteration: int) -> Perturbation:
        """The versions of an iteration; ``can_perturb`` must be true."""
        origin = self.path[self._origin(iteration)]
        changes = self._draw_changes(iteration)
        generator = random.Random(f"rounding/{self.settings.seed}/{iteration}")
        return Perturbation(
            iteration,
            tuple(_clip(value + change) for value, change in zip(origin, changes, strict=True)),
            tuple(_clip(value - change) for value, change in zip(origin, changes, strict=True)),
            changes,
            tuple(generator.random() for _ in changes),
        )

    def _draw_changes(self, iteration: int) -> Values:
        generator = random.Random(f"changes/{self.settings.seed}/{iteration}")
        scale = self.settings.scale_step(iteration)
        return tuple(generator.choice((-1, 1)) * scale * step for step in self.settings.steps)

    def add_result(self, iteration: int, lead: float) -> None:
        """Add the points that ``plus`` scored more than ``minus``; a known result is ignored."""
        if self.has_result(iteration) or not 0 <= iteration < self.settings.iterations:
            return
        self._waiting[iteration] = lead
        while (following := len(self.path) - 1) in self._waiting:
            self.path.append(self._move(following, self._waiting.pop(following)))

    def _move(self, iteration: int, lead: float) -> Values:
        factor = self.settings.compute_gain(iteration) * lead
        changes = self._draw_changes(iteration)
        return tuple(
            _clip(value + factor * change)
            for value, change in zip(self.values, changes, strict=True)
        )

    def result(self) -> Values:
        """The mean of the later part of the path so far; the start if there is none yet."""
        later = self.path[math.ceil(len(self.path) * (1 - RESULT_SHARE)) :] or self.path
        return tuple(math.fsum(column) / len(later) for column in zip(*later, strict=True))


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))


def round_by(value: float, rounding: float) -> int:
    """A whole number beside a value; on average over ``rounding`` from 0 to 1, the value."""
    return math.floor(value + rounding)


def thin_out(path: Sequence[Values], most: int) -> list[tuple[int, Values]]:
    """At most so many points of a path, the first and the last among them, with their numbers."""
    last = len(path) - 1
    count = min(most, len(path))
    numbers = sorted({round(last * i / max(1, count - 1)) for i in range(count)})
    return [(number, path[number]) for number in numbers]
