"""Tries to outlive its referee: no death signal, a session and a name of its own."""

import os
import signal

import attack

VERDICT = "rules"
DEATH_SIGNAL, DUMPABLE, NAME, SUBREAPER, NO_NEW_PRIVILEGES, KEEP_RIGHTS = 1, 4, 15, 36, 38, 8


class Player(attack.Player):
    def begin(self):
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
        attack.LIBC.prctl(DEATH_SIGNAL, 0, 0, 0, 0)
        attack.LIBC.prctl(SUBREAPER, 1, 0, 0, 0)
        attack.LIBC.prctl(KEEP_RIGHTS, 1, 0, 0, 0)
        attack.LIBC.prctl(DUMPABLE, 0, 0, 0, 0)
        attack.LIBC.prctl(NAME, b"init", 0, 0, 0)
        for leave in (os.setsid, os.setpgrp):
            try:
                leave()
            except OSError:
                pass

    def attacks(self):
        yield "privileges", lambda: attack.LIBC.prctl(NO_NEW_PRIVILEGES, 0, 0, 0, 0) == 0
