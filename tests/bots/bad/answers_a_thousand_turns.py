"""Answers every turn of the bout in advance."""

import normal
import wire

VERDICT = "output"


class Player(normal.Player):
    def misbehave(self, board):
        turns = range(wire.asked(), 1000)
        wire.send(b"".join(wire.message(type="move", n=n, move="0,4") for n in turns))
