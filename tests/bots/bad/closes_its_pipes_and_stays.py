"""Closes its pipes and keeps on running."""

import os

import normal

VERDICT = "crash"
SAYS = "closed its pipe"


class Player(normal.Player):
    def misbehave(self, board):
        os.closerange(0, 256)
        while True:
            pass
