"""A valid answer, but for its size."""

import normal
import wire

VERDICT = "output"
SAYS = "the limit is"


class Player(normal.Player):
    def misbehave(self, board):
        wire.say(type="move", n=wire.asked(), move="x" * (50 << 20))
