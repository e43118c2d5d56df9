"""Sets the clock of the machine to what it shows anyway, and asks for a time of its own."""

import ctypes
import time

import attack

VERDICT = "rules"
NEWTIME = 0x80


class Player(attack.Player):
    def attacks(self):
        now = (ctypes.c_long * 2)(int(time.time()), 0)
        slow = (ctypes.c_long * 26)(0x4000, 0, 0, 0)
        yield "python", lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()) is None
        yield "settimeofday", lambda: attack.call((164, 170), now, None)
        yield "clock_settime", lambda: attack.call((227, 112), 0, now)
        yield "adjtimex", lambda: attack.call((159, 171), slow)
        yield "clock_adjtime", lambda: attack.call((305, 266), 0, slow)
        yield "namespace", lambda: attack.call((272, 97), NEWTIME)
        yield "offsets", lambda: open("/proc/self/timens_offsets", "w").write("monotonic 9 0")
