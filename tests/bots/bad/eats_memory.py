"""Wants 100 GB."""

import normal

VERDICT = "memory"


class Player(normal.Player):
    def misbehave(self, board):
        self.hoard = bytearray(100 << 30)
