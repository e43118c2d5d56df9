"""Who may see a bout under way, and how much later than it is played."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from ludus.scheduling.database import DatabaseUnavailable
from ludus.scheduling.schema import ContestRow
from ludus.server.accounts.identity import Identity
from ludus.server.contests import contest_access
from ludus.server.database import Database


class LiveAccess(NamedTuple):
    """How the live bouts of a contest are shown."""

    delay: float = 0.0
    """Seconds by which they are shown later than they are played."""
    private: bool = False
    """Only for a class: they are in nobody's list, and films ask who looks."""


PUBLIC_ACCESS = LiveAccess()


class LiveAccessLookup:
    """How the live bouts of contests are shown, remembered until ``forget``.

    Reads the database, so it has no place in the event loop; otherwise it may be called from any
    thread.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self._known: dict[int, LiveAccess] = {}
        self._lock = threading.Lock()

    def find_access(self, contest_id: int | None) -> LiveAccess | None:
        """Of the bouts of a contest; None: that cannot be known now, so show nothing of them."""
        if contest_id is None:
            return PUBLIC_ACCESS
        with self._lock:
            if (access := self._known.get(contest_id)) is None:
                with contextlib.suppress(DatabaseUnavailable):
                    access = self._known[contest_id] = self._read_access(contest_id)
            return access

    def forget(self) -> None:
        """A contest was changed."""
        with self._lock:
            self._known.clear()

    def _read_access(self, contest_id: int) -> LiveAccess:
        if (contest := self._read_contest(contest_id)) is None:
            return PUBLIC_ACCESS
        return LiveAccess(contest.delay_s, contest.group_id is not None)

    def _read_contest(self, contest_id: int) -> ContestRow | None:
        if not self.database.exists():
            return None
        with self.database.reading() as session:
            return session.get(ContestRow, contest_id)

    def require_visible(self, contest_id: int | None, identity: Identity) -> None:
        """Refuse whoever may not see the bouts of a contest that are under way."""
        if contest_id is not None and (contest := self._read_contest(contest_id)) is not None:
            contest_access.require_visible(contest, identity)


def is_delay_over(began: str, wall: Sequence[float], delay: float) -> bool:
    """Whether a bout that is over ended so long ago that everybody may know how."""
    if not delay:
        return True
    moment = datetime.fromisoformat(began)
    since = (datetime.now(UTC) - moment.astimezone(UTC)).total_seconds()
    return since >= delay + sum(wall) + 1  # it began within a second of what is written
