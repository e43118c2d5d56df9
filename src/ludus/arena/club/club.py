"""The club as the server holds it: its database, its door, and whoever is to be told something."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from ludus.arena.club import locks, people, rules, tokens
from ludus.arena.club.backoff import Logins
from ludus.arena.club.database import Database
from ludus.arena.club.guesses import Guesses
from ludus.arena.club.rules import HouseRules
from ludus.arena.club.viewer import NOBODY, Viewer
from ludus.arena.traffic import DEFAULT_LIMITS, TrafficLimits
from ludus.contest.database import StoreTrouble

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
        loopback: bool = True,
        limits: TrafficLimits = DEFAULT_LIMITS,
    ) -> None:
        self.folder = folder
        self.database = Database(address or str(folder / FILE))
        self.guesses = Guesses(limits)
        self.logins = Logins()
        self.loopback = loopback
        self.welcome = locks.new_code()
        """What the first account needs when others can reach the server."""
        self._viewers: OrderedDict[str, tuple[float, Viewer]] = OrderedDict()
        self._rules: tuple[float, HouseRules] | None = None
        self._lock = threading.Lock()
        self.when_forgotten: Callable[[], None] = lambda: None
        """Called, in any thread, when somebody may be nobody any more."""

    def empty(self) -> bool:
        """Whether nobody has an account."""
        if not self.database.exists():
            return True
        with self.database.reading() as session:
            return not people.anybody(session)

    # Who asks

    def viewer(self, cookie: str, bearer: str) -> Viewer:
        """Whoever has this cookie or this token."""
        secret = bearer or cookie
        if not secret or not self.database.exists():
            return NOBODY
        key = f"{'t' if bearer else 's'}{locks.digest(secret)}"
        with self._lock:
            known = self._viewers.get(key)
        if known is not None and time.monotonic() - known[0] < FRESH:
            return known[1]
        with self.database.reading() as session:
            found = (tokens.by_token if bearer else people.by_session)(session, secret)
            due = bool(bearer) and tokens.is_due(session, secret)
        if due:
            with contextlib.suppress(StoreTrouble), self.database.writing() as session:
                tokens.note_use(session, secret)
        with self._lock:
            self._viewers[key] = (time.monotonic(), found)
            while len(self._viewers) > REMEMBERED:
                self._viewers.popitem(last=False)
        return found

    def forget_viewers(self) -> None:
        """Somebody logged out, joined, was given another role: look again."""
        with self._lock:
            self._viewers.clear()
        self.when_forgotten()

    # How it is set

    @property
    def rules(self) -> HouseRules:
        with self._lock:
            known = self._rules
        if known is not None and time.monotonic() - known[0] < FRESH:
            return known[1]
        with self.database.reading() as session:
            found = rules.read(session)
        with self._lock:
            self._rules = (time.monotonic(), found)
        return found

    def forget_rules(self) -> None:
        with self._lock:
            self._rules = None

    def close(self) -> None:
        self.database.close()
