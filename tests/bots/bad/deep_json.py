"""An answer of 400,000 brackets."""

import normal
import wire

VERDICT = "output"
SAYS = "not a frame"


class Player(normal.Player):
    def misbehave(self, board):
        deep = b"[" * 200_000 + b"]" * 200_000
        wire.send_and_wait(wire.frame(b'{"type":"move","n":1,"more":' + deep + b"}"))
