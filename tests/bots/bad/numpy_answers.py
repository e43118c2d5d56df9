"""Answers numpy integers, which count as integers."""

import normal
import numpy

VERDICT = "rules"


class Player(normal.Player):
    def answer(self, currentRound, board, mode):
        move = super().answer(currentRound, board, mode)
        if mode == "direction":
            return numpy.int64(move)
        return tuple(numpy.int8(x) for x in move) if mode == "position" else None
