"""Answers a list where a tuple is due."""

import normal

VERDICT = "illegal"


class Player(normal.Player):
    def answer(self, currentRound, board, mode):
        move = super().answer(currentRound, board, mode)
        return list(move) if mode == "position" and self.isFirst else move
