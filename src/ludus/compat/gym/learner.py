"""The learner's seat in a bout that the referee plays, and the random numbers of its rivals."""

from __future__ import annotations

import contextlib
import hashlib
import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ludus.bots.players.base import MoveAnswer, SeatBout, TimeLimit, TimeSpent
from ludus.games.base import ClockView, Outcome
from ludus.games.host import Ply


class LearnerPlayer:
    """A player whose next move was chosen outside; its thinking costs no time."""

    name = "learner"
    digest = ""
    isolation = "in-process"

    def __init__(self) -> None:
        self.next_move = ""
        """What it will answer."""

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        return TimeSpent(0.0, 0.0)

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        return MoveAnswer(0.0, 0.0, self.next_move)

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        return TimeSpent(0.0, 0.0)

    def output(self) -> dict[str, str]:
        return {"stdout": "", "stderr": ""}

    def close(self) -> None:
        """Nothing is held."""


class RivalGenerators:
    """The states of the global random generators while rivals in this process use them.

    Rivals are seeded, so that an environment repeats its bouts; a learner's own random numbers,
    which come from the same generators, are not disturbed by that.
    """

    def __init__(self) -> None:
        self._states: tuple[Any, Any] | None = None

    @contextlib.contextmanager
    def in_use(self) -> Iterator[None]:
        """Give the rivals their own generators within this context."""
        outside = random.getstate(), np.random.get_state()
        if self._states is not None:
            _set_states(*self._states)
        try:
            yield
        finally:
            self._states = random.getstate(), np.random.get_state()
            _set_states(*outside)


def _set_states(plain: Any, numpy: Any) -> None:
    random.setstate(plain)
    np.random.set_state(numpy)


def derive_rival_seed(seed: int, seat: int) -> str:
    """The seed of a rival's random numbers, the same on every machine."""
    return hashlib.sha256(f"gym/{seed}/{seat}".encode()).hexdigest()
