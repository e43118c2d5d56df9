"""Searches as deep as its time allows. 搜索 AI：在时间允许的范围内尽量算得更深。"""

from __future__ import annotations

from ludus.games.base import ClockView
from ludus.games.duel2048.pace import Pace
from ludus.games.duel2048.rules import DuelPosition
from ludus.games.duel2048.search import Search


class Bot:
    def start(self, seat: int, position: DuelPosition) -> None:
        self.search = Search(position)
        self.pace = Pace()

    def move(self, position: DuelPosition, clock: ClockView) -> str:
        return self.search.choose(position, self.pace.share(position, clock))
