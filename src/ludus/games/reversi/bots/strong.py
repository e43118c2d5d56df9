"""Looks as far ahead as its clock allows, at last to the end. 在时限内尽量深算，终局算尽。"""

from ludus.games.reversi.pace import share, stop_after
from ludus.games.reversi.search import ReversiSearch


class Bot:
    def start(self, seat, position):
        self.search = ReversiSearch(position.size)

    def move(self, position, clock):
        return self.search.best(position, stop_after(share(position, clock)))
