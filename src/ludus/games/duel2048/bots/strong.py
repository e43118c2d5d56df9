"""Searches as deep as its time allows. 搜索 AI：在时间允许的范围内尽量算得更深。"""

from __future__ import annotations

from ludus.games.base import ClockView
from ludus.games.duel2048.rules import DuelPosition
from ludus.games.duel2048.search import Search

RESERVE = 0.06
"""The part of the bout's time that is kept: when only it is left, moves are no longer searched."""


class Bot:
    def start(self, seat: int, position: DuelPosition) -> None:
        self.search = Search(position)
        self.reserve = 0.0

    def move(self, position: DuelPosition, clock: ClockView) -> str:
        self.reserve = self.reserve or RESERVE * clock.mine
        return self.search.choose(position, self.share(position, clock))

    def share(self, position: DuelPosition, clock: ClockView) -> float:
        """Seconds for this decision: more at first, since many bouts end early."""
        decisions = 2 * (position.rounds - position.round)
        share = (clock.mine - self.reserve) / (0.7 * decisions + 3)
        return max(0.0, min(share, clock.limit / 2))
