"""Answers one turn twice."""

import normal
import wire

VERDICT = "output"
SAYS = "again before it was asked"


class Player(normal.Player):
    def misbehave(self, board):
        answer = wire.message(type="move", n=wire.asked(), move="0,4")
        wire.send_and_wait(answer + answer)
