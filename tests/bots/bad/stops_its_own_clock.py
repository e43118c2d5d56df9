"""Tells itself that no time has passed, and thinks on."""

import time

import normal

VERDICT = "timeout"


class Player(normal.Player):
    def misbehave(self, board):
        for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
            setattr(time, name, lambda: 0.0)
        time.clock_gettime = lambda clock: 0.0
        while time.process_time() < 1:
            pass
