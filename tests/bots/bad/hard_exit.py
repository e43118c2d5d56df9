"""Leaves without a word."""

import os

import normal

VERDICT = "crash"
SAYS = "exited with code 0"


class Player(normal.Player):
    def misbehave(self, board):
        os._exit(0)
