"""Stops: it is neither running nor dead."""

import os
import signal

import normal

VERDICT = "timeout"


class Player(normal.Player):
    def misbehave(self, board):
        os.kill(os.getpid(), signal.SIGSTOP)
