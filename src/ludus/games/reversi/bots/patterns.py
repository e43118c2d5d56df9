"""Searches deep with a small network of patterns that taught itself. 用自学的图案小网络深算。"""

from pathlib import Path

from ludus.games.reversi import patterns
from ludus.games.reversi.pace import share, stop_after
from ludus.games.reversi.pattern_search import PatternSearch
from ludus.games.reversi.search import ReversiSearch

WEIGHTS = patterns.read_weights(Path(__file__).parents[1] / "reversi.patterns")  # off the clock


class Bot:
    def start(self, seat, position):
        """There are patterns for 8 by 8 cells only; other boards are searched without them."""
        fits = position.size == patterns.SIZE
        self.search = PatternSearch(WEIGHTS) if fits else ReversiSearch(position.size)

    def move(self, position, clock):
        return self.search.best(position, stop_after(share(position, clock)))
