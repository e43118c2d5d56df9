"""Rate limits by key, with the allowances of ``web.traffic_limits``, for any thread."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator

from ludus.server.web.errors import TooManyRequests
from ludus.server.web.traffic_limits import DEFAULT_LIMITS, Buckets, TimeSource, TrafficLimits


class RateLimit:
    """So many times in so many seconds for each key: an allowance that refills steadily."""

    def __init__(self, times: int, seconds: float, clock: TimeSource = time.monotonic) -> None:
        self.times, self.seconds = times, seconds
        self._buckets = Buckets(clock)
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def count_try(self, key: str, failure: type[Exception] | None = None) -> Iterator[None]:
        """Count a try that succeeds or, with ``failure``, one that fails with it. Raises
        TooManyRequests if the key has no tries left. A try counts from its start, so that parallel
        tries gain nothing, and is taken back if it ends otherwise."""
        with self._lock:
            bucket = self._buckets.bucket_for(key, self.times / self.seconds, self.times)
            if wait := bucket.take():
                raise _too_often(wait)
        counts = failure is None
        try:
            yield
        except Exception as error:
            counts = failure is not None and isinstance(error, failure)
            raise
        finally:
            if not counts:
                with self._lock:
                    bucket.give_back()


def _too_often(seconds: float) -> TooManyRequests:
    wait = int(seconds) + 1
    return TooManyRequests(
        f"too many tries; try again in {wait} s", f"尝试次数过多；请在 {wait} 秒后再试", wait=wait
    )


class RateLimits:
    """Rate limits of account routes besides logins (see ``login_backoff``)."""

    def __init__(self, limits: TrafficLimits = DEFAULT_LIMITS) -> None:
        self.old_passwords = RateLimit(10, 300)
        """Wrong old passwords, by account."""
        self.registrations = RateLimit(limits.registrations_per_address, 3600)
        """New accounts, by address; a whole class may share one."""
        self.invited_registrations = RateLimit(limits.invited_per_address, 3600)
        """New accounts with a class's code, by address."""
        self.invitation_codes = RateLimit(30, 3600)
        """Wrong codes of teams and classes, by account."""
        self.posts = RateLimit(20, 600)
        """Comments and announcements, by account."""
        self.verification_mails = RateLimit(5, 3600)
        """Mails that confirm an address, by account."""
        self.mails_to_address = RateLimit(3, 86400)
        """The same by address, which may be a stranger's."""
        self.git_pushes = RateLimit(120, 600)
        """Pushes by git, by account."""
        self.webhooks = RateLimit(120, 600)
        """Webhooks that are refused, by bot and address."""
