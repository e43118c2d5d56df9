"""The club as the server holds it: its database, its door, and whoever is to be told something."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from ludus.scheduling.database import StoreTrouble
from ludus.server.accounts import credentials, tokens, users
from ludus.server.accounts.first_account import FirstAccount
from ludus.server.accounts.identity import NOBODY, Viewer
from ludus.server.accounts.login_backoff import Logins
from ludus.server.accounts.rate_limit import Guesses
from ludus.server.admin import site_settings as rules
from ludus.server.admin.site_settings import HouseRules
from ludus.server.database import Database
from ludus.server.web.traffic import DEFAULT_LIMITS, TrafficLimits

FILE = "arena.db"
FRESH = 3.0
"""Seconds for which it is remembered who somebody is and how the rules are."""
REMEMBERED = 10_000


class Club:
    """Accounts, bots, contests. Every method may be called from any thread."""

    def __init__(
        self,
        folder: Path,
        address: str = "",
        *,
        limits: TrafficLimits = DEFAULT_LIMITS,
    ) -> None:
        self.folder = folder
        self.database = Database(address or str(folder / FILE))
        self.guesses = Guesses(limits)
        self.logins = Logins()
        self.first_account = FirstAccount(folder)
        self._viewers: OrderedDict[str, tuple[float, Viewer]] = OrderedDict()
        self._rules: tuple[float, HouseRules] | None = None
        self._age = 0
        """Grows with everything that must not be remembered any more. A thread that began to read
        before that has perhaps read what was, and must not put it back."""
        self._lock = threading.Lock()
        self.when_forgotten: Callable[[], None] = lambda: None
        """Called, in any thread, when somebody may be nobody any more."""

    def empty(self) -> bool:
        """Whether nobody has an account."""
        if not self.database.exists():
            return True
        with self.database.reading() as session:
            return not users.anybody(session)

    # Who asks

    def viewer(self, cookie: str, bearer: str | None) -> Viewer:
        """Whoever has this cookie or, if one is given, this token."""
        secret = cookie if bearer is None else bearer
        if not secret or not self.database.exists():
            return NOBODY
        key = f"{'s' if bearer is None else 't'}{credentials.digest(secret)}"
        with self._lock:
            known, age = self._viewers.get(key), self._age
        if known is not None and time.monotonic() - known[0] < FRESH:
            return known[1]
        asked = time.monotonic()
        with self.database.reading() as session:
            found = (users.by_session if bearer is None else tokens.by_token)(session, secret)
            due = bearer is not None and tokens.is_due(session, secret)
        if due:
            with contextlib.suppress(StoreTrouble), self.database.writing() as session:
                tokens.note_use(session, secret)
        with self._lock:
            if age == self._age:  # else what was read may be of before the change
                self._viewers[key] = (asked, found)
            while len(self._viewers) > REMEMBERED:
                self._viewers.popitem(last=False)
        return found

    def forget_viewers(self) -> None:
        """Somebody logged out, joined, was given another role: look again."""
        with self._lock:
            self._viewers.clear()
            self._age += 1
        self.when_forgotten()

    # How it is set

    @property
    def rules(self) -> HouseRules:
        with self._lock:
            known, age = self._rules, self._age
        if known is not None and time.monotonic() - known[0] < FRESH:
            return known[1]
        asked = time.monotonic()
        with self.database.reading() as session:
            found = rules.read(session)
        with self._lock:
            if age == self._age:
                self._rules = (asked, found)
        return found

    def forget_rules(self) -> None:
        """They were changed: look again."""
        with self._lock:
            self._rules = None
            self._age += 1

    def close(self) -> None:
        self.database.close()
