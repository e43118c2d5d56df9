"""Answers 2.0 where an integer is due."""

import normal

VERDICT = "illegal"
SAYS = "2.0"


class Player(normal.Player):
    def answer(self, currentRound, board, mode):
        move = super().answer(currentRound, board, mode)
        return 2.0 if mode == "direction" and self.isFirst else move
