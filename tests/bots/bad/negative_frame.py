"""Announces a frame of minus five bytes."""

import struct

import normal
import wire

VERDICT = "output"
SAYS = "announced a frame of 4294967291 bytes"


class Player(normal.Player):
    def misbehave(self, board):
        wire.send_and_wait(struct.pack(">i", -5) + b"{}")
