"""Looks as far ahead as its clock allows. 在时限内尽量深算。"""

import time

from ludus.games.ataxx.search import AtaxxSearch

RESERVE = 15  # moves' worth of time for bouts that are longer than the board has cells


class Bot:
    def start(self, seat, position):
        self.search = AtaxxSearch()

    def move(self, position, clock):
        return self.search.best(position, stop_after(share(position, clock)))


def share(position, clock):
    """The seconds to think about this move: an equal part of what is left."""
    empty = position.size**2 - len(position.pieces(0)) - len(position.pieces(1))
    return min(clock.mine / (empty / 2 + RESERVE), clock.limit / 3)


def stop_after(seconds):
    """A function that says when to stop: after so much CPU time, or twice as much real time."""
    cpu, wall = time.thread_time() + seconds, time.perf_counter() + 2 * seconds
    return lambda: time.thread_time() >= cpu or time.perf_counter() >= wall
