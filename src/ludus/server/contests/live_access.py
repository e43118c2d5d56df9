"""Who may watch live bouts of contests, and with which delay."""

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
    """How the live bouts of a contest may be watched."""

    delay: float = 0.0
    """Seconds by which they are shown late."""
    private: bool = False
    """Whether they are left out of lists and their watchers are checked, since only a class may
    watch."""


PUBLIC_ACCESS = LiveAccess()


class LiveAccessLookup:
    """Looks up how the live bouts of contests may be watched, cached until ``forget``.

    Reads the database, so it must not be called in the event loop; any other thread may.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self._known: dict[int, LiveAccess] = {}
        self._lock = threading.Lock()

    def find_access(self, contest_id: int | None) -> LiveAccess | None:
        """Of the bouts of a contest; None: it is not known now, so nothing may be shown."""
        if contest_id is None:
            return PUBLIC_ACCESS
        with self._lock:
            if (access := self._known.get(contest_id)) is None:
                with contextlib.suppress(DatabaseUnavailable):
                    access = self._known[contest_id] = self._read_access(contest_id)
            return access

    def forget(self) -> None:
        """Drop the cache after a change of a contest."""
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
        """Raise NotFound if ``identity`` may not watch the live bouts of a contest."""
        if contest_id is not None and (contest := self._read_contest(contest_id)) is not None:
            contest_access.require_visible(contest, identity)


def is_delay_over(began: str, wall: Sequence[float], delay: float) -> bool:
    """Whether a finished bout ended so long ago that everybody may see its result."""
    if not delay:
        return True
    moment = datetime.fromisoformat(began)
    since = (datetime.now(UTC) - moment.astimezone(UTC)).total_seconds()
    return since >= delay + sum(wall) + 1  # the stored start is rounded to a second
