"""Forks as often as it can."""

import os
import time

import attack

VERDICT = "rules"


class Player(attack.Player):
    def attacks(self):
        for number in range(2000):
            yield f"fork {number}", self.fork

    def fork(self):
        if len(self.booty) > 1000:
            return False  # that should do
        if child := os.fork():
            return child
        time.sleep(2)
        os._exit(0)
