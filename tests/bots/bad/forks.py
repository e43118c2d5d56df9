"""Forks in its move; the child comes back out of the call too."""

import os

import normal

VERDICT = "rules"


class Player(normal.Player):
    def misbehave(self, board):
        os.fork()
