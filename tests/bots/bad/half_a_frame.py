"""Announces a frame and never finishes it."""

import os
import time

import normal

VERDICT = "timeout"


class Player(normal.Player):
    def misbehave(self, board):
        for fd in range(3, 64):
            try:
                os.write(fd, b"\x00\x00\x01\x00half")
            except OSError:
                pass
        time.sleep(1000)
