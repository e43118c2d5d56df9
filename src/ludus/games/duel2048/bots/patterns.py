"""Searches with tables of patterns that taught themselves. 用自学的图案表搜索。"""

from __future__ import annotations

from pathlib import Path

from ludus.games.base import ClockView
from ludus.games.duel2048 import patterns
from ludus.games.duel2048.pace import Pace
from ludus.games.duel2048.pattern_search import DuelPatternSearch
from ludus.games.duel2048.rules import DuelPosition

WEIGHTS = patterns.read_weights(Path(__file__).parents[1] / "duel2048.patterns")  # off the clock


class Bot:
    def start(self, seat: int, position: DuelPosition) -> None:
        self.search = DuelPatternSearch(WEIGHTS, position.board.array[: position.rounds])
        self.pace = Pace(0.5)  # it wins many bouts early

    def move(self, position: DuelPosition, clock: ClockView) -> str:
        return self.search.choose(position, self.pace.share(position, clock))
