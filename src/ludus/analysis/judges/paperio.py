"""The judge of Paper.io: the house bot ``hunter`` plays on for both seats."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

from ludus.analysis.judges.alpha_beta import expect
from ludus.analysis.judges.rollouts import RolloutJudge, RolloutLevel
from ludus.analysis.model import JudgeFacts
from ludus.bots.load import load_bot
from ludus.games.base import ClockView, Game
from ludus.games.paperio.homeward import settle_areas

PAPERIO = "paperio"
POLICY_BOT = "hunter"
RANDOM_MOVES = 0.5
"""The share of random moves at home in all continuations but the first, so that they differ. Out in
the open a random move would lose races that are won, and make safe plans look risky."""
LEVELS = (RolloutLevel(1, 24), RolloutLevel(1, 60), RolloutLevel(3, 60), RolloutLevel(6, 120))
MOST_STEPS = 12
"""Bouts with more steps are sampled."""
CUT_OFF = 0.1
"""What a seat may expect whose band the other one reaches before it is home."""
CLOCK = ClockView((30.0, 30.0), 0, 30.0)


class HouseBotPolicy:
    """A house bot on every seat, which sometimes moves at random while it is on its own land."""

    def __init__(self, create: Callable[[], Any], number: int) -> None:
        self.create, self.generator = create, random.Random(number)
        self.bots: dict[int, Any] = {}
        self.random_moves = RANDOM_MOVES if number else 0.0

    def choose(self, position: Any, seat: int) -> str:
        at_home = not position.field.trails[seat]
        if at_home and self.generator.random() < self.random_moves:
            move: str = self.generator.choice(position.legal(seat))
            after = position.copy()
            after.play({seat: move})
            if after.outcome is None:
                return move
        return self._ask_bot(position, seat)

    def _ask_bot(self, position: Any, seat: int) -> str:
        if seat not in self.bots:
            self.bots[seat] = self.create()
            self.bots[seat].start(seat, position.copy())
        move: str = self.bots[seat].move(position.copy(), CLOCK)
        return move


def estimate_lead(position: Any) -> tuple[float, float]:
    """The expected scores when both seats go home from here, by the land that each then has."""
    field = position.field
    first, second, cut = settle_areas(field)
    left = max(0, 2 * field.turns - field.steps)
    expected = expect(first - second, 20.0 + 0.25 * left)
    if cut == 0:
        expected = min(expected, CUT_OFF)
    elif cut == 1:
        expected = max(expected, 1 - CUT_OFF)
    return expected, 1 - expected


def create_paperio_judge(game: Game) -> RolloutJudge:
    """The judge of Paper.io."""
    facts = JudgeFacts(
        name="rollouts",
        title={
            "en": f"continuations by {POLICY_BOT}",
            "zh": f"由 {POLICY_BOT} 续局",
        },
        parameters={
            "rollouts": [level.rollouts for level in LEVELS],
            "steps": [level.steps for level in LEVELS],
            "bot": POLICY_BOT,
            "random_moves_at_home": RANDOM_MOVES,
        },
    )
    create = load_bot(game.bots()[POLICY_BOT], game).make
    policy = partial(HouseBotPolicy, create)
    return RolloutJudge(facts, 2, LEVELS, MOST_STEPS, policy, estimate_lead)
