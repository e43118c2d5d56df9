"""Growing delays after wrong passwords, which slow guessing down without locking owners out.

Mistakes are counted three times: for an account from one address, for an address over all accounts,
and for an account over all addresses. None of these ever locks an account; every delay has an upper
limit. People who have logged in before are told apart from strangers, so that strangers cannot
delay them:

- a browser that has logged in to this account has a cookie and is counted by itself;
- an address that has logged in to this account is counted by itself for that account.

The count over all addresses is against guessing from many of them at once. It does not apply to
organisers: otherwise anybody with a few addresses could keep them from logging in on a new machine.
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
"""The most keys; the oldest are forgotten first."""
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class BackoffPolicy:
    """How long one must wait after how many mistakes."""

    free_mistakes: int
    """How many mistakes cause no delay."""
    first_wait_s: float
    """Seconds of the first delay; each further mistake doubles it."""
    longest_wait_s: float
    """Seconds of the longest delay. So long without a mistake takes one mistake back."""

    def wait_after(self, mistakes: float) -> float:
        """Seconds to wait after the last of so many mistakes. A mistake that is taken back in part
        still counts as the last free one: a second between two tries does not give another try."""
        if math.ceil(mistakes) < self.free_mistakes:
            return 0.0
        return float(
            min(
                self.longest_wait_s,
                self.first_wait_s * 2 ** min(max(mistakes - self.free_mistakes, 0), 40),
            )
        )


ACCOUNT_AND_ADDRESS_BACKOFF = BackoffPolicy(free_mistakes=5, first_wait_s=2.0, longest_wait_s=300.0)
"""For an account from one address: 18 guesses in the first hour, then 12 an hour."""
DEVICE_BACKOFF = BackoffPolicy(free_mistakes=10, first_wait_s=2.0, longest_wait_s=300.0)
"""For a browser that has logged in to the account before."""
ADDRESS_BACKOFF = BackoffPolicy(free_mistakes=240, first_wait_s=1.0, longest_wait_s=30.0)
"""For an address over all accounts. A whole class may share an address and mistype."""
ACCOUNT_BACKOFF = BackoffPolicy(free_mistakes=30, first_wait_s=2.0, longest_wait_s=120.0)
"""For an account from all unknown addresses: 65 guesses in the first hour, then 30."""


@dataclass(slots=True)
class _Mistakes:
    count: float
    at: float
    before: float
    """The time of the mistake before, in case the last one is undone."""


class KeyedBackoff:
    """Mistakes by key under one policy. Not thread-safe."""

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
        """Take the last mistake back."""
        if (known := self._known.get(key)) is not None:
            known.count, known.at = max(0.0, known.count - 1), known.before

    def forget(self, key: str) -> None:
        self._known.pop(key, None)


@dataclass(frozen=True, slots=True)
class LoginAttempt:
    """An attempt to log in."""

    name: str
    """The folded name of the account, which need not exist."""
    address: str
    device: str = ""
    """The identity of a browser that has logged in to this account; empty: it has not."""
    known_address: bool = False
    """Whether this address has logged in to the account before."""
    organiser: bool = False


class LoginBackoff:
    """Counts wrong passwords and delays further attempts; for any thread."""

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
        """Refuse an attempt that comes too early, without counting it. Every other attempt counts
        as a mistake from its start, so that parallel attempts gain nothing, until it succeeds."""
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
        with self._lock:  # a success clears their own mistakes only
            own, key = counts[0]
            own.forget(key)
            for count, key in counts[1:]:
                count.undo(key)

    def _backoffs_for(self, attempt: LoginAttempt) -> Sequence[tuple[KeyedBackoff, str]]:
        """The policies and keys that apply to an attempt; the first is its own."""
        if attempt.device:
            return [(self.devices, f"{attempt.name} {attempt.device}")]
        network = network_key(attempt.address)
        own = (self.pairs, f"{attempt.name} {network}")
        if attempt.known_address:
            return [own]
        found = [own, (self.addresses, network)]
        return found if attempt.organiser else [*found, (self.accounts, attempt.name)]
