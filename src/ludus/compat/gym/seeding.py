"""The seeds of one bout after the other."""

from __future__ import annotations

import random


class SeedSequence:
    """Gives each bout a seed: the one that ``reset`` was given, then others that follow from it."""

    def __init__(self) -> None:
        self._generator = random.Random()

    def next(self, given: int | None) -> int:
        """The seed of the next bout."""
        if given is None:
            return self._generator.getrandbits(48)
        self._generator = random.Random(given)
        return given
