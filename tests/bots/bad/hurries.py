"""Wants to run before everybody else, and on every core."""

import os

import attack

VERDICT = "rules"
REALTIME_IO = 1 << 13


class Player(attack.Player):
    def attacks(self):
        first = os.sched_param(1)
        cores = set(range(os.cpu_count() or 1))
        yield "nice", lambda: os.nice(-20) <= 0
        yield "priority", lambda: os.setpriority(os.PRIO_PROCESS, 0, -20) is None
        yield "fifo", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, first) is None
        yield "robin", lambda: os.sched_setscheduler(0, os.SCHED_RR, first) is None
        yield "other", lambda: os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0)) is None
        yield "cores", lambda: os.sched_setaffinity(0, cores) is None and len(cores) > 1
        yield "disk", lambda: attack.call((251, 30), 1, 0, REALTIME_IO)
