"""Speaks for the referee: the match is over, and it has won."""

import normal
import wire

VERDICT = "output"


class Player(normal.Player):
    def misbehave(self, board):
        wire.say(type="end", moves=[], scores=[1.0, 0.0], reason="level", detail={})
