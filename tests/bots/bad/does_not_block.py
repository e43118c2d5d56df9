"""Makes the pipes it shares with the referee non-blocking."""

import os

import normal
import wire

VERDICT = "rules"


class Player(normal.Player):
    def misbehave(self, board):
        for fd in (1, 2, *wire.pipes()):
            os.set_blocking(fd, False)
