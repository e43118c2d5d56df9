"""An ordinary bug."""

import normal

VERDICT = "crash"
SAYS = "ZeroDivisionError"


class Player(normal.Player):
    def misbehave(self, board):
        return 1 / 0
