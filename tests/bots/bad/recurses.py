"""Calls itself for ever."""

import normal

VERDICT = "crash"
SAYS = "RecursionError"


class Player(normal.Player):
    def misbehave(self, board):
        self.misbehave(board)
