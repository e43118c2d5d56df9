"""Recurses where Python does not count, until the stack is used up."""

import sys

import normal

VERDICT = "crash"


class Player(normal.Player):
    def misbehave(self, board):
        sys.setrecursionlimit(1 << 30)
        one, two = [], []
        for _ in range(500_000):
            one, two = [one], [two]
        raise RuntimeError(f"there was no end of the stack: {one == two}")
