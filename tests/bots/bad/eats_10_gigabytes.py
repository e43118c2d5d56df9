"""Wants 10 GB in one step, and writes to all of it."""

import normal

VERDICT = "memory"


class Player(normal.Player):
    def misbehave(self, board):
        self.hoard = b"x" * (10 << 30)
