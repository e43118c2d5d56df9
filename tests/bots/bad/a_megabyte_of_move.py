"""An answer as long as a frame may be."""

import normal
import wire

VERDICT = "illegal"
SAYS = "xxxx"


class Player(normal.Player):
    def misbehave(self, board):
        wire.say(type="move", n=wire.asked(), move="x" * ((1 << 20) - 100))
