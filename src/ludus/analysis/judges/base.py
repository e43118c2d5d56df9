"""What judges of moves have in common."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from ludus.analysis.model import JudgeFacts
from ludus.games.host import Ply

Glance = Callable[[Any, Ply, int], float]
"""What the move of one seat in a step gives away at first sight, told in a fraction of a
millisecond; its arguments are the position before, the moves of the step, and the seat."""


class OutOfBudget(Exception):
    """The CPU time ended before a judgement was complete."""


class CpuBudget:
    """So many seconds of CPU time of this thread; ``budget()`` tells whether they are spent."""

    def __init__(self, seconds: float = math.inf) -> None:
        self.began = time.thread_time()
        self.seconds = seconds

    @property
    def used(self) -> float:
        return time.thread_time() - self.began

    @property
    def left(self) -> float:
        return self.seconds - self.used

    def __call__(self) -> bool:
        return self.used >= self.seconds

    def check(self) -> None:
        """Raise OutOfBudget if the time is spent, so that what was found must not be used."""
        if self():
            raise OutOfBudget


@dataclass(frozen=True, slots=True)
class MoveJudgement:
    """What a judge thinks of one move."""

    best: str
    line: tuple[str, ...]
    before: float
    """The mover's expected score with the best move."""
    after: float
    """The mover's expected score with the move it played."""
    certain: bool


class MoveJudge(Protocol):
    """Judges the moves of bouts of one game.

    Each judgement is computed anew, so that it depends on nothing but its arguments: the same
    position, move and level always give the same judgement, unless the budget ends.
    """

    facts: JudgeFacts
    levels: int
    """How many levels of thoroughness there are; each costs several times the one before."""
    most_steps: int
    """Bouts with more steps are sampled."""
    glance: Glance | None
    """With it no step of a sampled bout goes unseen; None if the judge has none."""

    def evaluate(self, position: Any, level: int, budget: CpuBudget) -> tuple[float, ...]:
        """The expected score of each seat in a position that is not over. Raises OutOfBudget."""

    def judge(
        self, position: Any, ply: Ply, seat: int, level: int, budget: CpuBudget
    ) -> MoveJudgement:
        """Judge the move of one seat in a step. Raises OutOfBudget."""
