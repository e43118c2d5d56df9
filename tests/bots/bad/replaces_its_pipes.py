"""Puts /dev/null where its pipes are."""

import os

import normal
import wire

VERDICT = "crash"


class Player(normal.Player):
    def misbehave(self, board):
        nothing = os.open(os.devnull, os.O_RDWR)
        for fd in wire.pipes():
            os.dup2(nothing, fd)
