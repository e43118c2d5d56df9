"""Patches the board's class without a thought for the consequences."""

import normal

VERDICT = "crash"


def broken(*args):
    raise RuntimeError("patched")


class Player(normal.Player):
    def misbehave(self, board):
        type(board).getNext = broken
        type(board).getNone = broken
