"""Forks in its move; a bot is one process, so that is refused."""

import os

import normal

VERDICT = "crash"
SAYS = "BlockingIOError"


class Player(normal.Player):
    def misbehave(self, board):
        os.fork()
