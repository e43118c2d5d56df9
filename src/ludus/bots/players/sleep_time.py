"""How long a bot slept: the time in which it neither ran nor waited for a core.

With a clock that measures CPU time, a bot could delay a bout for ever by sleeping. So sleep has a
limit of its own. Waiting for a core is not sleep: no bot may lose because the machine is busy.

The kernel counts the wait for a core per thread (``schedstat``). The sum over all threads is too
much: sixty threads that wake at once also wait for each other, and a bot could use that to hide
sleep. So the wait that excuses a bot is the larger of two figures that cannot be inflated this way:

- the longest wait of any single thread (the sibling threads it waits for use the bot's own clock);
- the sum of all waits, but no more than the time in which the bot's core was not idle.

Reading these files costs more than a short answer takes. So quick answers are only added up, and
looked at once they exceed ``MAX_UNCHECKED_S``; slow answers are watched while they run.
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
    """Measures how long one process was asleep while an answer was awaited."""

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
        """Examine the current answer, which has taken ``elapsed`` seconds so far, from now on.

        Waits from before the request are no excuse, so they are left out.
        """
        now, since = self._read_waits(), int((self._open + elapsed) * 1e9)
        self._waits = {name: max(self._waits.get(name, 0), now[name] - since) for name in now}
        self._idle_mark, self._watched = self._min_idle_seconds(), True

    def slept_seconds(self, away: float) -> float:
        """Seconds slept in this bout; ``away`` is the time off the CPU in the current answer."""
        return self.slept + self._estimate_sleep(self._open + away, self._read_waits())

    def is_machine_busy(self, allowed: float) -> bool:
        """Whether the delay is the machine's: the bot waits for a core, or has just ended.

        The kernel counts a thread's wait when it is over, so a thread that waits now may have done
        so for long; but not if its core was idle for the allowed time.
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
        """The part of ``away`` in which neither the bot nor this thread waited for a core."""
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
