"""Takes the best places it can get in one move. 只看一步，抢占最好的位置。"""

import random

from ludus.games.reversi.search import worth
from ludus.games.reversi.view import place


class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        moves = position.legal(self.seat)
        random.shuffle(moves)  # among equal moves, any
        return max(moves, key=lambda move: self.value(position, move))

    def value(self, position, move):
        """What all discs are worth after a move, the rival's counted against us."""
        after = position.copy()
        after.play({self.seat: move})
        worths = [
            sum(worth(*place(name), position.size) for name in after.discs(seat)) for seat in (0, 1)
        ]
        return worths[self.seat] - worths[1 - self.seat]
