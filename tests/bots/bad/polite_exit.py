"""Calls sys.exit."""

import sys

import normal

VERDICT = "crash"
SAYS = "sys.exit"


class Player(normal.Player):
    def misbehave(self, board):
        sys.exit()
