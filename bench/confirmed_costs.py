"""What a planted move really costs: strong players go on after it and after the move it replaced.

A reference that estimates errs, and where a move is drawn until the reference says that it costs
enough, its errors are drawn as well. So what it says is confirmed by results: from both positions
strong players go on to the end of the bout, many times, each time a little differently, with random
numbers that nothing else uses. Neither the reference nor the judge under test has a say in it.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable
from statistics import fmean, variance
from typing import Any

from ludus.analysis.grading import rank_share
from ludus.analysis.judges.paperio import HouseBotPolicy
from ludus.analysis.judges.rollouts import RolloutPolicy
from ludus.bots.load import load_bot
from ludus.games import get
from ludus.games.host import Host

FIRST_NUMBER = 1_000_000
"""The numbers of these continuations begin here, far from those of any judge."""
FEWEST, MOST = 12, 64
"""How many times the players go on from each position, at least and at most."""
CLEAR = 2.0
"""No more are played when the cost is so many standard errors away from what matters."""


class VaryingDuelPlayer:
    """The search of ``strong``, with about the nodes of 2 ms a move, now more and now less."""

    NODES = 4_000

    def __init__(self, position: Any, number: int) -> None:
        from ludus.games.duel2048.search import Search

        self.generator = random.Random(number)
        self.searches = [Search(position) for _ in range(2)]

    def choose(self, position: Any, seat: int) -> str:
        nodes = round(self.NODES * self.generator.uniform(0.25, 1.75))
        return self.searches[seat].choose(position, math.inf, nodes)


def create_hunters(position: Any, number: int) -> RolloutPolicy:
    """``hunter`` on both seats of Paper.io; at home half of its moves are random."""
    return HouseBotPolicy(load_hunter().make, number)


@functools.cache
def load_hunter() -> Host:
    game = get("paperio")
    return load_bot(game.bots()["hunter"], game)


PLAYERS_ON: dict[str, Callable[[Any, int], RolloutPolicy]] = {
    "duel2048": VaryingDuelPlayer,
    "paperio": create_hunters,
}
"""Who goes on, by game; in the other games the reference sees enough."""


def confirm_cost(name: str, position: Any, played: str, planted: str, limit: float) -> float:
    """How much more the mover gets on average after the move it played than after the planted one;
    as exactly as is needed to tell whether that is at least ``limit``."""
    if played == planted:
        return 0.0
    seat = position.to_move[0]
    differences: list[float] = []
    for number in range(FIRST_NUMBER, FIRST_NUMBER + MOST):
        results = [play_on(name, position, seat, move, number) for move in (played, planted)]
        differences.append(results[0] - results[1])
        if len(differences) >= FEWEST:
            error = math.sqrt(variance(differences) / len(differences))
            if abs(fmean(differences) - limit) > CLEAR * error:
                break
    return fmean(differences)


def play_on(name: str, position: Any, seat: int, move: str, number: int) -> float:
    """What a seat gets in one continuation after its move."""
    after = position.copy()
    after.play({seat: move})
    players = PLAYERS_ON[name](after, number)
    while after.outcome is None:
        after.play({each: players.choose(after, each) for each in after.to_move})
    return rank_share(after.outcome.scores, seat)
