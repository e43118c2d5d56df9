"""Answers a turn whose number has 100,000 digits."""

import normal
import wire

VERDICT = "output"


class Player(normal.Player):
    def misbehave(self, board):
        wire.send_and_wait(wire.frame(b'{"type":"move","n":1' + b"0" * 100_000 + b',"move":"up"}'))
