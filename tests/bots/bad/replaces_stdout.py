"""Puts something else where its output goes; the answers go elsewhere."""

import os
import sys

import normal

VERDICT = "rules"


class Broken:
    def write(self, text):
        raise OSError("not today")

    flush = close = write


class Player(normal.Player):
    def misbehave(self, board):
        sys.stdout.close()
        sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = Broken()
        nothing = os.open(os.devnull, os.O_RDWR)
        for fd in range(3):
            os.dup2(nothing, fd)
        os.write(1, b"nobody reads this")
