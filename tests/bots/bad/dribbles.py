"""Sends a byte of its answer now and then."""

import time

import normal
import wire

VERDICT = "timeout"


class Player(normal.Player):
    def misbehave(self, board):
        wire.send(b"\x00\x0f\x00\x00")
        while True:
            wire.send(b" ")
            time.sleep(0.001)
