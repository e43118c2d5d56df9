"""Raises an exception that cannot be shown."""

import normal

VERDICT = "crash"
SAYS = "Unspeakable"


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no words for it")

    __repr__ = __str__


class Player(normal.Player):
    def misbehave(self, board):
        raise Unspeakable
