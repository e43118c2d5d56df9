"""Forgets to return."""

import normal

VERDICT = "illegal"
SAYS = "None"


class Player(normal.Player):
    def answer(self, currentRound, board, mode):
        return None if self.isFirst else super().answer(currentRound, board, mode)
