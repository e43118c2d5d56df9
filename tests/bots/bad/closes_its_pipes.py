"""Closes every descriptor it has."""

import os

import normal

VERDICT = "crash"


class Player(normal.Player):
    def misbehave(self, board):
        os.closerange(0, 256)
