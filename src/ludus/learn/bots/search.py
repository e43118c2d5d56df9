"""Searches a tree of random bouts. 用随机对局做树搜索。"""

from __future__ import annotations

import random

from ludus.games.base import ClockView, Game, Position
from ludus.learn.bots._share import move_time_limit
from ludus.learn.search import SearchParameters, TreeSearcher, stop_after

DEFAULT_SIMULATIONS = 800
EXPLORE = 6.0
"""Larger than with a network, because all moves have the same small prior."""
MIN_SHORTEST_SEARCHES = 4
"""It searches only while its share of the clock is so many times the shortest search."""


class Bot:
    def __init__(self, simulations: str = "") -> None:
        self.style = SearchParameters(
            simulations=int(simulations or DEFAULT_SIMULATIONS), explore=EXPLORE
        )

    def set_game(self, game: Game) -> None:
        self.game = game

    def start(self, seat: int, position: Position) -> None:
        self.seat = seat
        self.searcher = TreeSearcher(self.game, self.style, seed=random.getrandbits(31))

    def move(self, position: Position, clock: ClockView) -> str:
        seconds = move_time_limit(clock)
        if (
            seconds < MIN_SHORTEST_SEARCHES * self.searcher.shortest_search_cpu_s
        ):  # the rules are slow, and little time is left
            return random.choice(position.legal(self.seat))
        return self.searcher.choose(position, stop_after(seconds))
