"""Bots of Reversi with numbers to tune."""

from collections.abc import Callable

from ludus.tuning.plan import TuningPlan

MakePlan = Callable[..., TuningPlan]

TUNABLE = """
CORNER = -20  # tune: -50..100
ANSWER = -5.0  # tune: -10..20


class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        return max(position.legal(self.seat), key=lambda move: self.value(position, move))

    def value(self, position, move):
        after = position.copy()
        after.play({self.seat: move})
        size = position.size
        corner = move[0] in ("a", chr(96 + size)) and move[1:] in ("1", str(size))
        return CORNER * corner - ANSWER * len(after.legal(1 - self.seat))
"""

SKILLED = """
import random

SKILL = 0.0  # tune: 0..1


class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        good = random.Random(position.digest()).random() < SKILL
        choose = min if good else max
        moves = position.legal(self.seat)
        return choose(moves, key=lambda move: self.count_answers(position, move))

    def count_answers(self, position, move):
        after = position.copy()
        after.play({self.seat: move})
        return len(after.legal(1 - self.seat))
"""
"""The more, the better. It always does the same in the same position."""
