"""Raises an exception of 20 MB that would steer the terminal."""

import normal

VERDICT = "crash"
SAYS = "ValueError: \\x1b[2J"


class Player(normal.Player):
    def misbehave(self, board):
        raise ValueError("\x1b[2J" + "once upon a time\n" * (1 << 20))
