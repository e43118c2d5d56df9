"""The site of a running server: its database, settings, identities and login limits."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from ludus.scheduling.database import DatabaseUnavailable
from ludus.server.accounts import credentials, sessions, tokens, users
from ludus.server.accounts.first_account import FirstAccount
from ludus.server.accounts.identity import ANONYMOUS, Identity
from ludus.server.accounts.login_backoff import LoginBackoff
from ludus.server.accounts.rate_limit import RateLimits
from ludus.server.admin import site_settings as rules
from ludus.server.admin.site_settings import SiteSettings
from ludus.server.database import Database
from ludus.server.web.traffic_limits import DEFAULT_LIMITS, TrafficLimits

DATABASE_FILE_NAME = "arena.db"
CACHE_LIFETIME_S = 3.0
"""Seconds for which identities and settings are cached."""
MAX_CACHED_IDENTITIES = 10_000


class SiteContext:
    """Access to accounts, bots and contests. Every method may be called from any thread."""

    def __init__(
        self,
        folder: Path,
        address: str = "",
        *,
        limits: TrafficLimits = DEFAULT_LIMITS,
    ) -> None:
        self.folder = folder
        self.database = Database(address or str(folder / DATABASE_FILE_NAME))
        self.rate_limits = RateLimits(limits)
        self.login_backoff = LoginBackoff()
        self.first_account = FirstAccount(folder)
        self.sends_mail = False
        """Whether the server knows a mail server."""
        self.public_url = ""
        """Where people open the page, without a slash at the end; empty: not known."""
        self._identities: OrderedDict[str, tuple[float, Identity]] = OrderedDict()
        self._settings: tuple[float, SiteSettings] | None = None
        self._cache_generation = 0
        """Grows whenever cached values become invalid. A thread that started reading before must
        not cache what it read."""
        self._lock = threading.Lock()
        self.on_identities_forgotten: Callable[[], None] = lambda: None
        """Called, in any thread, when sessions or tokens may have ended."""

    def has_no_accounts(self) -> bool:
        """Whether there is no account yet."""
        if not self.database.exists():
            return True
        with self.database.reading() as session:
            return not users.has_accounts(session)

    # Identities

    def identify(self, cookie: str, bearer: str | None) -> Identity:
        """The identity of a token or, if there is none, of a session cookie."""
        secret = cookie if bearer is None else bearer
        if not secret or not self.database.exists():
            return ANONYMOUS
        key = f"{'s' if bearer is None else 't'}{credentials.digest(secret)}"
        with self._lock:
            known, age = self._identities.get(key), self._cache_generation
        if known is not None and time.monotonic() - known[0] < CACHE_LIFETIME_S:
            return known[1]
        looked_up_at = time.monotonic()
        with self.database.reading() as session:
            found = (sessions.identify_by_session if bearer is None else tokens.identify_by_token)(
                session, secret
            )
            due = bearer is not None and tokens.needs_use_note(session, secret)
        if due:
            with contextlib.suppress(DatabaseUnavailable), self.database.writing() as session:
                tokens.note_use(session, secret)
        with self._lock:
            if age == self._cache_generation:  # otherwise it may have been read before the change
                self._identities[key] = (looked_up_at, found)
            while len(self._identities) > MAX_CACHED_IDENTITIES:
                self._identities.popitem(last=False)
        return found

    def forget_identities(self) -> None:
        """Drop cached identities, after a logout or a change of membership or role."""
        with self._lock:
            self._identities.clear()
            self._cache_generation += 1
        self.on_identities_forgotten()

    # Settings

    @property
    def settings(self) -> SiteSettings:
        with self._lock:
            known, age = self._settings, self._cache_generation
        if known is not None and time.monotonic() - known[0] < CACHE_LIFETIME_S:
            return known[1]
        looked_up_at = time.monotonic()
        with self.database.reading() as session:
            found = rules.read_settings(session)
        with self._lock:
            if age == self._cache_generation:
                self._settings = (looked_up_at, found)
        return found

    def forget_settings(self) -> None:
        """Drop the cached settings after a change."""
        with self._lock:
            self._settings = None
            self._cache_generation += 1

    def close(self) -> None:
        self.database.close()
