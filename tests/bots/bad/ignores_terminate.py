"""Ignores every signal it can and never returns."""

import signal

import normal

VERDICT = "timeout"


class Player(normal.Player):
    def misbehave(self, board):
        for number in range(1, 65):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        while True:
            pass
