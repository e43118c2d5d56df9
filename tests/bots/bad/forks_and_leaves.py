"""Leaves its work to a child that holds the pipes open."""

import os
import time

import normal

VERDICT = "crash"


class Player(normal.Player):
    def misbehave(self, board):
        if os.fork():
            os._exit(3)
        time.sleep(1000)
