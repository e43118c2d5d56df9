"""Looks one move ahead: a good place, and few answers to it. 只看一步：占好位置，少给对方选择。"""

import random

from ludus.games.reversi.view import place

# What a disc is worth by its place; the corner is the unit. The other numbers were found by
# ludus tune greedy --game reversi
CORNER = 100
BESIDE_CORNER = -175  # tune: -300..100
DIAGONAL = -192  # the cell that gives a corner away  # tune: -300..100
NEAR_CORNER = -18  # on an edge, two cells from the corner  # tune: -100..100
EDGE = -94  # tune: -200..100
INNER_EDGE = -43  # beside an edge  # tune: -100..50
# What one answer less for the rival is worth, and one disc more on the board.
ANSWER = 30.49  # tune: 0..60
DISC_FIRST = -15.11  # when the board is empty  # tune: -30..30
DISC_LAST = 9.42  # when the board is full  # tune: -30..30


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
        answers = len(after.legal(1 - self.seat))
        mine, theirs = after.cells.count(self.seat), after.cells.count(1 - self.seat)
        full = (mine + theirs) / position.size**2
        disc = DISC_FIRST + (DISC_LAST - DISC_FIRST) * full
        return worth(*place(move), position.size) - ANSWER * answers + disc * mine


def worth(row, column, size):
    """What a disc on a cell is worth."""
    near, far = sorted((min(row, size - 1 - row), min(column, size - 1 - column)))
    if near == 0:
        return {0: CORNER, 1: BESIDE_CORNER, 2: NEAR_CORNER}.get(far, EDGE)
    if near == 1:
        return DIAGONAL if far == 1 else INNER_EDGE
    return 0
