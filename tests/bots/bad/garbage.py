"""Sends noise."""

import random

import normal
import wire

VERDICT = "output"


class Player(normal.Player):
    def misbehave(self, board):
        wire.send_and_wait(b"\x7f" + random.Random(1).randbytes(5000))
