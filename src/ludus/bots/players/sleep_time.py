"""How long a bot slept: the time in which it neither ran nor waited for a core.

With a CPU clock a bot could hold up a bout for ever by sleeping, so sleep has a limit. Waiting for
a core is not sleep: a busy machine must not cost a bot its bout.

The kernel counts for each thread how long it was ready to run without a core (the second number in
``/proc/PID/task/TID/schedstat``). The sum over all threads cannot simply be subtracted: if sixty
threads wake at once on one core, fifty-nine of them wait for the sixtieth, and a bot could create
any amount of "waiting" that way while it sleeps. Two observations bound the real wait from below:

- the longest wait of any *single* thread: in that time the thread really wanted to run;
- the sum of all waits, but at most the time in which the cores were not idle: while a core the bot
  may use has nothing to do, no thread of the bot is waiting for it.

Sleep is the time away minus the larger of the two. Waiting for a sibling thread needs no care: the
sibling runs on the bot's own CPU clock. A thread's wait is added only when it gets its core, so a
thread that waits *now* shows no wait at all; ``is_machine_busy`` covers this case.

Reading /proc takes longer than a quick answer. Absences of answers that came quickly are therefore
only added up (``_open``), and looked at when they exceed ``MAX_UNCHECKED_S`` together.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence

SLOW_ANSWER_S = 0.05
"""Seconds after which an answer is examined: was the bot computing, sleeping or queueing?"""
MAX_UNCHECKED_S = 0.25
"""Seconds that quick answers may add up to before they are examined."""
MAX_AWAY_RATIO = 10.0
"""A bot may be off the CPU for this many times the allowed sleep per bout, for any reason."""
CLOCK_TICK_S = 1 / os.sysconf("SC_CLK_TCK")


class SleepMeter:
    """Measures the time in which one process did not run although it was asked."""

    def __init__(self, pid: int, cores: Sequence[int]) -> None:
        self._pid = pid
        self._cores = frozenset(f"cpu{core}" for core in cores)
        self._waits: dict[str, int] = {}
        """Nanoseconds that each thread had waited for a core at the last reading."""
        self._own_mark = _own_run_queue_seconds()
        self._idle_mark = self._min_idle_seconds()
        self.begin_bout()

    def begin_bout(self) -> None:
        self.slept = 0.0
        """Seconds slept in this bout, without the current answer."""
        self.total = 0.0
        """Seconds off the CPU in this bout for any reason, without the current answer."""
        self._open = 0.0
        """Seconds off the CPU that have not been examined yet."""
        self._watched = False

    def start_watching(self, elapsed: float) -> None:
        """Measure precisely from now on, because this answer has already taken ``elapsed`` seconds.

        Waits from before the request do not count: no thread is credited with more than the time
        since then.
        """
        now, since = self._read_waits(), int((self._open + elapsed) * 1e9)
        self._waits = {name: max(self._waits.get(name, 0), now[name] - since) for name in now}
        self._idle_mark, self._watched = self._min_idle_seconds(), True

    def slept_seconds(self, away: float) -> float:
        """Seconds slept in this bout; ``away`` is the time off the CPU in the current answer."""
        return self.slept + self._estimate_sleep(self._open + away, self._read_waits())

    def is_machine_busy(self, allowed: float) -> bool:
        """Whether the machine may be to blame: a thread wants to run, or the process just ended.

        A thread's wait is counted only when it is over, so a thread that waits now may have waited
        for long; but not while its core was idle.
        """
        states = self._read_thread_states()
        return states <= {"Z", "X"} or ("R" in states and self._idle_since() < allowed)

    def charge(self, away: float) -> None:
        """Count the time off the CPU of a finished answer; see the module's docstring."""
        self._open += away
        self.total += away
        if self._watched or self._open > MAX_UNCHECKED_S:
            now = self._read_waits()
            self.slept += self._estimate_sleep(self._open, now)
            self._waits, self._open = now, 0.0
            self._own_mark, self._idle_mark = _own_run_queue_seconds(), self._min_idle_seconds()
            self._watched = False

    def _estimate_sleep(self, away: float, waits: dict[str, int]) -> float:
        """Of ``away`` seconds, those in which neither the bot nor the referee waited for a core."""
        away -= _own_run_queue_seconds() - self._own_mark  # a bot whose pipe is full waits for us
        each = [(waits[name] - self._waits.get(name, 0)) / 1e9 for name in waits]
        longest, idle = max(each, default=0.0), self._idle_since()
        if not self._watched:  # many short absences: they are sleep as far as the core was idle
            return max(0.0, min(away - longest, idle))
        return max(0.0, away - max(longest, min(sum(each), away - idle)))

    def _idle_since(self) -> float:
        now = self._min_idle_seconds()
        return now - self._idle_mark if now is not None and self._idle_mark is not None else 0.0

    def _min_idle_seconds(self) -> float | None:
        """Idle seconds of the least idle of its cores; None if /proc/stat is unavailable."""
        idle = []
        with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/stat") as file:
            for line in file:
                words = line.split(maxsplit=6)
                if not words[0].startswith("cpu"):
                    break
                if words[0] in self._cores:
                    idle.append((int(words[4]) + int(words[5])) * CLOCK_TICK_S)  # idle + iowait
        return min(idle, default=None)

    def _read_waits(self) -> dict[str, int]:
        waits = {}
        with contextlib.suppress(OSError, ValueError, IndexError):
            for thread in os.scandir(f"/proc/{self._pid}/task"):
                with open(f"{thread.path}/schedstat") as file:
                    waits[thread.name] = int(file.read().split()[1])
        return waits

    def _read_thread_states(self) -> set[str]:
        states = set()
        with contextlib.suppress(OSError, IndexError):
            for thread in os.scandir(f"/proc/{self._pid}/task"):
                with open(f"{thread.path}/stat") as file:
                    states.add(file.read().rpartition(")")[2].split()[0])
        return states


def _own_run_queue_seconds() -> float:
    """Seconds that this thread was ready to run but had no core."""
    try:
        with open("/proc/thread-self/schedstat") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0
