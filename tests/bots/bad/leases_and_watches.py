"""Makes others wait for files, watches who opens them, and takes what all bots of a user share."""

import ctypes
import fcntl
import os
import signal
import sys

import attack

VERDICT = "rules"
SHARED = ("/usr/bin/env", os.__file__, os.path.realpath(sys.executable), __file__)
MORE_THAN_ENOUGH = 1000
SET_PIPE_SIZE = 1031


class Player(attack.Player):
    def begin(self):
        signal.signal(signal.SIGIO, signal.SIG_IGN)

    def attacks(self):
        for path in SHARED:
            for kind in (fcntl.F_RDLCK, fcntl.F_WRLCK):
                yield f"lease {path}", lambda path=path, kind=kind: self.lease(path, kind)
            yield f"notify {path}", lambda path=path: self.notify(os.path.dirname(path))
            yield f"lock {path}", lambda path=path: self.lock(path)
        yield "inotify", lambda: attack.call((294, 26), 0)
        yield "fanotify", lambda: attack.call((300, 262), 0, 0)
        yield "timers", self.timers
        yield "pipe", lambda: fcntl.fcntl(os.pipe()[0], SET_PIPE_SIZE, 1 << 20)

    def lease(self, path, kind):
        with open(path) as file:
            return fcntl.fcntl(file, fcntl.F_SETLEASE, kind) == 0

    def notify(self, folder):
        fcntl.fcntl(os.open(folder, os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS)
        return "watching"

    def lock(self, path):
        """A lock that holds keeps out a second one."""
        with open(path) as first, open(path) as second:
            fcntl.flock(first, fcntl.LOCK_EX)
            try:
                fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return "it holds"

    def timers(self):
        timer = ctypes.c_int()
        for _ in range(MORE_THAN_ENOUGH):
            attack.call((222, 107), 1, None, ctypes.byref(timer))
        return MORE_THAN_ENOUGH
