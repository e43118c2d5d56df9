"""Wrong passwords: each costs whoever guesses a longer wait, and nobody else anything.

Three counts hold guessing back: of an account from an address, of an address over all accounts, and
of an account over all addresses. None of them ever locks anything; a wait has a limit. Whoever has
logged in before is told apart from strangers, so that strangers cannot make them wait:

- a browser that has logged in to this account keeps a cookie, and counts for itself alone;
- an address from which somebody has logged in to this account counts alone with that account.

The count over all addresses is against guessing from many of them at once. It does not hold for
organisers, who would else be kept from logging in on a new machine by anybody with a few addresses.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ludus.server.web.addresses import network_key
from ludus.server.web.errors import Forbidden, retry_later

MAX_REMEMBERED_KEYS = 50_000
"""Keys; the oldest are forgotten first."""
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class BackoffPolicy:
    """How often somebody may be wrong."""

    free_mistakes: int
    """So many mistakes cost nothing."""
    first_wait_s: float
    """Seconds of the first wait; each further mistake doubles it."""
    longest_wait_s: float
    """Seconds of the longest wait. As long without a mistake makes up for one."""

    def wait_after(self, mistakes: float) -> float:
        """Seconds to wait after the last of so many mistakes. One that is made up for in part still
        counts as the last that costs nothing: a second between two tries gives no try more."""
        if math.ceil(mistakes) < self.free_mistakes:
            return 0.0
        return float(
            min(
                self.longest_wait_s,
                self.first_wait_s * 2 ** min(max(mistakes - self.free_mistakes, 0), 40),
            )
        )


ACCOUNT_AND_ADDRESS_BACKOFF = BackoffPolicy(free_mistakes=5, first_wait_s=2.0, longest_wait_s=300.0)
"""An account from one address: 18 guesses in the first hour, then 12 an hour."""
DEVICE_BACKOFF = BackoffPolicy(free_mistakes=10, first_wait_s=2.0, longest_wait_s=300.0)
"""A browser that has logged in to the account before."""
ADDRESS_BACKOFF = BackoffPolicy(free_mistakes=240, first_wait_s=1.0, longest_wait_s=30.0)
"""An address over all accounts. A whole class may sit behind one, and mistype."""
ACCOUNT_BACKOFF = BackoffPolicy(free_mistakes=30, first_wait_s=2.0, longest_wait_s=120.0)
"""An account from all addresses that it does not know: 65 guesses in the first hour, then 30."""


@dataclass(slots=True)
class _Mistakes:
    count: float
    at: float
    before: float
    """When the one before was made, in case the last turns out to be none."""


class KeyedBackoff:
    """Mistakes by key at one pace. Not for several threads at once."""

    def __init__(self, pace: BackoffPolicy, clock: Clock = time.monotonic) -> None:
        self.policy, self.clock = pace, clock
        self._known: OrderedDict[str, _Mistakes] = OrderedDict()

    def seconds_to_wait(self, key: str) -> float:
        """Seconds until the key may try again; 0: now."""
        known = self._known.get(key)
        if known is None:
            return 0.0
        return max(0.0, known.at + self.policy.wait_after(known.count - 1) - self.clock())

    def count_mistake(self, key: str) -> None:
        """Count a mistake."""
        now = self.clock()
        known = self._known.setdefault(key, _Mistakes(0, now, now))
        made_up = (now - known.at) / self.policy.longest_wait_s
        known.count = max(0.0, known.count - made_up) + 1
        known.at, known.before = now, known.at
        self._known.move_to_end(key)
        while len(self._known) > MAX_REMEMBERED_KEYS:
            self._known.popitem(last=False)

    def undo(self, key: str) -> None:
        """It was no mistake after all."""
        if (known := self._known.get(key)) is not None:
            known.count, known.at = max(0.0, known.count - 1), known.before

    def forget(self, key: str) -> None:
        self._known.pop(key, None)


@dataclass(frozen=True, slots=True)
class LoginAttempt:
    """Somebody who gives a name and a password."""

    name: str
    """Of the account, folded; it need not exist."""
    address: str
    device: str = ""
    """What a browser that has logged in to this account is known by; empty: none has."""
    known_address: bool = False
    """Whether somebody has logged in to this account from there."""
    organiser: bool = False


class LoginBackoff:
    """What the door of the club counts; any thread."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self.pairs, self.devices = (
            KeyedBackoff(ACCOUNT_AND_ADDRESS_BACKOFF, clock),
            KeyedBackoff(DEVICE_BACKOFF, clock),
        )
        self.addresses, self.accounts = (
            KeyedBackoff(ADDRESS_BACKOFF, clock),
            KeyedBackoff(ACCOUNT_BACKOFF, clock),
        )
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def limit_attempt(self, attempt: LoginAttempt) -> Iterator[None]:
        """Refuse an attempt that comes too early, which counts for nothing. Another counts as a
        mistake from the beginning, so that many at once gain nothing, until it is none."""
        counts = self._backoffs_for(attempt)
        with self._lock:
            if seconds := max(count.seconds_to_wait(key) for count, key in counts):
                raise retry_later("too many wrong passwords", "密码错误次数过多", seconds)
            for count, key in counts:
                count.count_mistake(key)
        try:
            yield
        except Forbidden:
            raise
        except BaseException:
            with self._lock:
                for count, key in counts:
                    count.undo(key)
            raise
        with self._lock:  # their own mistakes are made up for, and nobody else's
            own, key = counts[0]
            own.forget(key)
            for count, key in counts[1:]:
                count.undo(key)

    def _backoffs_for(self, attempt: LoginAttempt) -> Sequence[tuple[KeyedBackoff, str]]:
        """What an attempt is held to; the first is its own."""
        if attempt.device:
            return [(self.devices, f"{attempt.name} {attempt.device}")]
        network = network_key(attempt.address)
        own = (self.pairs, f"{attempt.name} {network}")
        if attempt.known_address:
            return [own]
        found = [own, (self.addresses, network)]
        return found if attempt.organiser else [*found, (self.accounts, attempt.name)]
