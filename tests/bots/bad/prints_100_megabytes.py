"""Floods stdout."""

import normal

VERDICT = "output"
SAYS = "stdout"


class Player(normal.Player):
    def misbehave(self, board):
        for _ in range(100):
            print("x" * (1 << 20))
