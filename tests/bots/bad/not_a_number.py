"""Answers turn NaN."""

import normal
import wire

VERDICT = "output"
SAYS = "no frame"


class Player(normal.Player):
    def misbehave(self, board):
        wire.say(type="move", n=float("nan"), move="up")
