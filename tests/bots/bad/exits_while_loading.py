"""Leaves while its file is read."""

import os

VERDICT = "load"

os._exit(4)


class Player:
    def output(self, currentRound, board, mode):
        return None
