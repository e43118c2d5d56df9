"""An answer that is no text."""

import normal
import wire

VERDICT = "output"
SAYS = "not a frame"


class Player(normal.Player):
    def misbehave(self, board):
        wire.send_and_wait(wire.frame(b'{"type":"move","n":1,"move":"\xff\xfe\xed\xa0\x80"}'))
