"""Uses no CPU time and never returns."""

import time

import normal

VERDICT = "timeout"


class Player(normal.Player):
    def misbehave(self, board):
        time.sleep(1000)
