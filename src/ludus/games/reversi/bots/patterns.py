"""Searches deep with a small network of patterns that taught itself. 用自学的图案小网络深算。"""

import time
from functools import cache
from pathlib import Path

from ludus.games.reversi import patterns
from ludus.games.reversi.pattern_search import PatternSearch
from ludus.games.reversi.search import ReversiSearch

WEIGHTS = Path(__file__).parents[1] / "reversi.patterns"
RESERVE = 3  # moves' worth of time that is never used


@cache
def weights():
    return patterns.read_weights(WEIGHTS)


class Bot:
    def start(self, seat, position):
        """There are patterns for 8 by 8 cells only; other boards are searched without them."""
        fits = position.size == patterns.SIZE
        self.search = PatternSearch(weights()) if fits else ReversiSearch(position.size)

    def move(self, position, clock):
        return self.search.best(position, stop_after(share(position, clock)))


def share(position, clock):
    """The seconds to think about this move: an equal part of what is left, less at the end."""
    cells = position.size * position.size
    taken = len(position.discs(0)) + len(position.discs(1))
    own_moves = (cells - taken + 1) // 2
    return min(clock.mine / (own_moves + RESERVE), clock.limit / 3)


def stop_after(seconds):
    """A function that says when to stop: after so much CPU time, or twice as much real time."""
    cpu, wall = time.thread_time() + seconds, time.perf_counter() + 2 * seconds
    return lambda: time.thread_time() >= cpu or time.perf_counter() >= wall
