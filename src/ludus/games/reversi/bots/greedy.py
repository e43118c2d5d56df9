"""Looks one move ahead: a good place, and few answers to it. 只看一步：占好位置，少给对方选择。"""

import random

from ludus.games.reversi.search import worth
from ludus.games.reversi.view import place

ANSWER = 12  # what one answer less for the rival is worth; a corner is worth 100


class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        moves = position.legal(self.seat)
        random.shuffle(moves)  # among equal moves, any
        return max(moves, key=lambda move: self.value(position, move))

    def value(self, position, move):
        after = position.copy()
        after.play({self.seat: move})
        answers = after.legal(1 - self.seat)
        return worth(*place(move), position.size) - ANSWER * len(answers)
