"""How often somebody may try: counted in memory, by name and by address."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Iterator

from ludus.arena.refusals import NotFound, TooOften
from ludus.arena.traffic import DEFAULT_LIMITS, TrafficLimits

REMEMBERED = 50_000
"""Names and addresses; the oldest are forgotten first."""


class Limit:
    """So many times in so many seconds, for each key."""

    def __init__(self, times: int, seconds: float) -> None:
        self.times, self.seconds = times, seconds
        self._seen: OrderedDict[str, deque[float]] = OrderedDict()
        self._lock = threading.Lock()

    def check(self, key: str) -> None:
        """Refuse if the key has used up its tries."""
        with self._lock:
            self._refuse(key)

    def count(self, key: str) -> None:
        with self._lock:
            self._count(key)

    def _refuse(self, key: str) -> None:
        seen = self._recent(key)
        if len(seen) >= self.times:
            wait = int(self.seconds - (time.monotonic() - seen[0])) + 1
            raise TooOften(
                f"too many tries; try again in {wait} s",
                f"尝试次数过多；请在 {wait} 秒后再试",
                wait=wait,
            )

    def _count(self, key: str) -> float:
        at = time.monotonic()
        self._recent(key).append(at)
        self._seen.move_to_end(key)
        while len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)
        return at

    @contextlib.contextmanager
    def trying(self, key: str) -> Iterator[None]:
        """Check; what is not found counts as a try."""
        self.check(key)
        try:
            yield
        except NotFound:
            self.count(key)
            raise

    def take(self, key: str) -> None:
        """Check and count."""
        self.check(key)
        self.count(key)

    @contextlib.contextmanager
    def taking(self, key: str) -> Iterator[None]:
        """Count what succeeds. It counts from the beginning, so that many at once gain nothing."""
        with self._lock:
            self._refuse(key)
            at = self._count(key)
        try:
            yield
        except BaseException:
            with self._lock, contextlib.suppress(ValueError):
                self._recent(key).remove(at)
            raise

    def forget(self, key: str) -> None:
        with self._lock:
            self._seen.pop(key, None)

    def _recent(self, key: str) -> deque[float]:
        seen = self._seen.setdefault(key, deque(maxlen=self.times))
        while seen and time.monotonic() - seen[0] > self.seconds:
            seen.popleft()
        return seen


class Guesses:
    """What the door of the club counts besides logins (``backoff``)."""

    def __init__(self, limits: TrafficLimits = DEFAULT_LIMITS) -> None:
        self.old_passwords = Limit(10, 300)
        """Of somebody who has logged in and wants to change theirs."""
        self.registers = Limit(limits.registrations_per_address, 3600)
        """Accounts of an address; a whole class may sit behind one."""
        self.invited = Limit(limits.invited_per_address, 3600)
        """The same of those who have a class's code."""
        self.codes = Limit(30, 3600)
        """Wrong ones of teams and classes, by somebody who has logged in."""
