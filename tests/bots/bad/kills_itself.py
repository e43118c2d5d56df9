"""Dies of a signal."""

import os
import signal

import normal

VERDICT = "crash"
SAYS = "SIGSEGV"


class Player(normal.Player):
    def misbehave(self, board):
        os.kill(os.getpid(), signal.SIGSEGV)
