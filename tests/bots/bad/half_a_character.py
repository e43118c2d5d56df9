"""An answer with half of a pair of characters, which no file can hold."""

import normal
import wire

VERDICT = "output"


class Player(normal.Player):
    def misbehave(self, board):
        wire.say(type="move", n=wire.asked(), move="\ud800")
