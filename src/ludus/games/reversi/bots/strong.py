"""Looks as far ahead as its clock allows, at last to the end. 在时限内尽量深算，终局算尽。"""

import time

from ludus.games.reversi.search import ReversiSearch

RESERVE = 3  # moves' worth of time that is never used


class Bot:
    def start(self, seat, position):
        self.search = ReversiSearch(position.size)

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
