"""Floods stderr."""

import sys

import normal

VERDICT = "output"
SAYS = "stderr"


class Player(normal.Player):
    def misbehave(self, board):
        for _ in range(100):
            sys.stderr.write("x" * (1 << 20))
