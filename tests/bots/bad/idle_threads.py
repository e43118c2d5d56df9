"""Keeps threads that do nothing."""

import threading
import time

import normal

VERDICT = "rules"


class Player(normal.Player):
    def begin(self):
        for _ in range(8):
            threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
