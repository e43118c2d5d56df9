"""Thinks in threads while it is not its turn: that time is its own."""

import threading
import time

import normal

VERDICT = "timeout"


class Player(normal.Player):
    def begin(self):
        for _ in range(2):
            threading.Thread(target=self.spin, daemon=True).start()

    def misbehave(self, board):
        time.sleep(1000)

    def spin(self):
        while True:
            pass
