"""Judges that play on: every move is tried, and the bout continued from there by a policy.

For games that no search here can handle: bouts of thousands of steps (Paper.io), seats that move at
the same time, more than two seats. Continuations end after a number of steps; where the bout is not
over by then, an estimate of the game stands for its result, or an even score if there is none.
All moves of a step are tried with the same random numbers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ludus.analysis.grading import rank_share
from ludus.analysis.judges.base import CpuBudget, Glance, MoveJudgement
from ludus.analysis.model import JudgeFacts
from ludus.games.base import Game
from ludus.games.host import Ply
from ludus.games.rules_failure import describe_missing_move

MAX_TRIED_MOVES = 24
"""Of a seat with more moves so many are tried, besides the one that it played."""


class RolloutPolicy(Protocol):
    """Continues one bout for all its seats."""

    def choose(self, position: Any, seat: int) -> str:
        """The move of a seat."""


@dataclass(frozen=True)
class RolloutLevel:
    """How thoroughly a position is played on."""

    rollouts: int
    steps: int
    """The most steps of one continuation."""


class RolloutJudge:
    """Judges moves by playing on after them."""

    def __init__(
        self,
        facts: JudgeFacts,
        seats: int,
        levels: Sequence[RolloutLevel],
        most_steps: int,
        create_policy: Callable[[int], RolloutPolicy],
        estimate: Callable[[Any], tuple[float, ...]] | None = None,
    ) -> None:
        self.facts, self.seats, self.most_steps = facts, seats, most_steps
        self.efforts, self.levels = list(levels), len(levels)
        self.create_policy, self.estimate = create_policy, estimate
        self.glance: Glance | None = self._compare_estimates if estimate is not None else None

    def evaluate(self, position: Any, level: int, budget: CpuBudget) -> tuple[float, ...]:
        effort = self.efforts[level]
        found = [
            self._play_on(position, self.create_policy(number), effort.steps, budget)
            for number in range(effort.rollouts)
        ]
        return tuple(sum(scores) / len(found) for scores in zip(*found, strict=True))

    def judge(
        self, position: Any, ply: Ply, seat: int, level: int, budget: CpuBudget
    ) -> MoveJudgement:
        played = ply[seat]
        worth = {}
        certain = True
        for move, after in self._try_moves(position, ply, seat):
            if after.outcome is not None:
                worth[move] = rank_share(after.outcome.scores, seat)
            else:
                certain = False
                worth[move] = self.evaluate(after, level, budget)[seat]
        best = max(worth, key=lambda move: (worth[move], move == played))
        return MoveJudgement(best, (best,), worth[best], worth[played], certain)

    def _compare_estimates(self, position: Any, ply: Ply, seat: int) -> float:
        """How much better another move looks by the estimate alone."""
        worth = {
            move: self._value(after)[seat] for move, after in self._try_moves(position, ply, seat)
        }
        return max(worth.values()) - worth[ply[seat]]

    def _try_moves(self, position: Any, ply: Ply, seat: int) -> Iterator[tuple[str, Any]]:
        """The moves of a seat, and the position after each."""
        for move in self._list_moves(position, ply[seat], seat):
            after = position.copy()
            after.play({**ply, seat: move})
            yield move, after

    def _list_moves(self, position: Any, played: str, seat: int) -> list[str]:
        legal = [move for move in position.legal(seat) if move != played]
        if len(legal) > MAX_TRIED_MOVES:
            legal = random.Random(0).sample(legal, MAX_TRIED_MOVES)
        return [played, *legal]

    def _play_on(
        self, position: Any, policy: RolloutPolicy, steps: int, budget: CpuBudget
    ) -> tuple[float, ...]:
        """What each seat gets in one continuation."""
        position = position.copy()
        for _ in range(steps):
            if not position.to_move:
                break
            budget.check()
            position.play({seat: policy.choose(position, seat) for seat in position.to_move})
        return self._value(position)

    def _value(self, position: Any) -> tuple[float, ...]:
        """What each seat got, or, before the end, may expect by the estimate."""
        if position.outcome is not None:
            scores = position.outcome.scores
            return tuple(rank_share(scores, seat) for seat in range(len(scores)))
        if self.estimate is not None:
            return self.estimate(position)
        return (0.5,) * self.seats


RANDOM_LEVELS = (RolloutLevel(4, 400), RolloutLevel(16, 1000), RolloutLevel(64, 4000))
RANDOM_MOST_STEPS = 100
"""Bouts with more steps are sampled."""


def create_random_play_judge(game: Game) -> RolloutJudge:
    """The judge that plays random moves to the end: for any game."""
    facts = JudgeFacts(
        name="random play",
        title={"en": "random continuations", "zh": "随机续局"},
        parameters={
            "rollouts": [level.rollouts for level in RANDOM_LEVELS],
            "steps": [level.steps for level in RANDOM_LEVELS],
        },
        reply="actual",
    )
    return RolloutJudge(
        facts,
        len(game.seats),
        RANDOM_LEVELS,
        RANDOM_MOST_STEPS,
        lambda number: RandomPolicy(number, game.name),
    )


class RandomPolicy:
    """Any legal move."""

    def __init__(self, number: int, game: str) -> None:
        self.generator, self.game = random.Random(number), game

    def choose(self, position: Any, seat: int) -> str:
        legal = position.legal(seat)
        if not legal:
            raise describe_missing_move(self.game, seat)
        move: str = self.generator.choice(legal)
        return move
