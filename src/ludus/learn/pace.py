"""How many simulations fit into the time of a move."""

from __future__ import annotations

import dataclasses

from ludus.games.base import Position
from ludus.learn.search import SearchParameters, TreeSearcher, considered_moves, stop_after

MIN_SIMULATIONS = 4
MEMORY = 0.8
"""How slowly the cost of a simulation follows the last search."""


class SearchPace:
    """Sizes searches so that they end within their time.

    Sequential halving compares moves by equally many simulations, so a search that was planned
    for 400 of them and is stopped after 20 has tried only some moves, and says little. The pace
    learns from each search what a simulation costs and plans the next one accordingly.
    """

    def __init__(self, most: SearchParameters) -> None:
        self.most = most
        self.cpu_s_per_simulation = 0.0
        """0 until a search was made."""

    def plan(self, seconds: float) -> SearchParameters:
        """The largest search that should end within these CPU seconds."""
        if self.cpu_s_per_simulation * self.most.simulations <= seconds:
            return self.most
        simulations = max(MIN_SIMULATIONS, int(seconds / self.cpu_s_per_simulation))
        return dataclasses.replace(
            self.most,
            simulations=min(simulations, self.most.simulations),
            considered=min(considered_moves(simulations), self.most.considered),
        )

    def record(self, simulations: int, cpu_seconds: float) -> None:
        """Learn what the simulations of a search have cost."""
        if simulations <= 0:
            return
        cost = cpu_seconds / simulations
        old = self.cpu_s_per_simulation or cost
        self.cpu_s_per_simulation = MEMORY * old + (1 - MEMORY) * cost


def choose_paced(
    searcher: TreeSearcher, pace: SearchPace, position: Position, seconds: float
) -> str:
    """The move to play, by a search that is sized for these seconds and stopped after them."""
    searcher.style, searcher.last_search_cpu_s = pace.plan(seconds), 0.0
    move = searcher.choose(position, stop_after(seconds))
    if searcher.tree is not None and searcher.last_search_cpu_s > 0:  # else the end was solved
        pace.record(searcher.tree.simulations, searcher.last_search_cpu_s)
    return move
