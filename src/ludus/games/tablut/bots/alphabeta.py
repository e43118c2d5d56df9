"""Searches as deep as its clock allows. 在时限内尽量深地搜索。"""

import random

from ludus.games.tablut.search import Searcher


class Bot:
    def start(self, seat, position):
        self.searcher = Searcher()

    def move(self, position, clock):
        seconds = share(position, clock)
        return self.searcher.search(position, seconds=seconds, seed=random.getrandbits(32)).move


def share(position, clock):
    """Seconds for this move: an even part of what is left, with some kept back.

    On a busy machine a search may take twice as long on the wall clock as it was given.
    """
    moves_left = (position.settings.limit - position.ply) // 2 + 1
    even = 0.9 * clock.mine / min(max(moves_left, 2), 25)
    return max(0.001, min(even, 0.4 * clock.limit))
