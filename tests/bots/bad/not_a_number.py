"""Answers turn NaN."""

import normal
import wire

VERDICT = "output"
SAYS = "not a frame"


class Player(normal.Player):
    def misbehave(self, board):
        wire.say(type="move", n=float("nan"), move="up")
