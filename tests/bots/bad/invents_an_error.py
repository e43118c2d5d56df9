"""Reports an error of a kind that does not exist, with a lot to say about it."""

import normal
import wire

VERDICT = "crash"
SAYS = "\\x1b]0;owned\\x07"


class Player(normal.Player):
    def misbehave(self, board):
        loud = "\x1b]0;owned\x07" * 5000
        wire.say(type="error", kind="victory", en=loud, zh=loud, trace=loud)
