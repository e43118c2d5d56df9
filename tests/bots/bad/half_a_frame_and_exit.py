"""Leaves in the middle of an answer."""

import os

import normal
import wire

VERDICT = "crash"
SAYS = "exited with code 0"


class Player(normal.Player):
    def misbehave(self, board):
        wire.send(b"\x00\x00\x01\x00half")
        os._exit(0)
