"""Answers an object whose every method fails."""

import normal

VERDICT = "illegal"


class Odd:
    def __eq__(self, other):
        raise RuntimeError("no comparing")

    def __hash__(self):
        raise RuntimeError("no hashing")

    def __repr__(self):
        raise RuntimeError("no showing")


class Player(normal.Player):
    def answer(self, currentRound, board, mode):
        return Odd() if self.isFirst else super().answer(currentRound, board, mode)
