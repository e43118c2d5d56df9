"""Starts threads without end."""

import threading
import time

import attack

VERDICT = "rules"
MANY = 1000


class Player(attack.Player):
    def attacks(self):
        yield "threads", self.start_many

    def start_many(self):
        for _ in range(MANY):
            threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
        return MANY
