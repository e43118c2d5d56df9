"""Leaves work for when it is all over."""

import atexit
import signal
import threading
import time

import normal

VERDICT = "rules"


def later():
    time.sleep(1000)


class Player(normal.Player):
    def begin(self):
        atexit.register(later)
        threading._register_atexit(later)
        threading.Thread(target=later).start()
        signal.signal(signal.SIGALRM, lambda *_: None)
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
