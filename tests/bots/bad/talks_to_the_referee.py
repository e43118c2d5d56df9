"""Writes garbage into whatever pipe it finds."""

import os

import normal

VERDICT = "output"


class Player(normal.Player):
    def misbehave(self, board):
        for fd in range(3, 64):
            try:
                os.write(fd, b"\xff" * 64)
            except OSError:
                pass
