"""Who may see a bout under way, and how much later than it is played."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import sqlalchemy as sql

from ludus.scheduling.database import DatabaseUnavailable
from ludus.scheduling.schema import ContestRow
from ludus.server.accounts.identity import Identity
from ludus.server.contests import contest_access
from ludus.server.database import Database

POLL_INTERVAL_S = 0.25
"""Seconds between two looks whether anybody asks for a contest that is not known yet."""
LIVE_BOUT_ID = re.compile(r"contest(\d{1,15})-")


class LiveAccess(NamedTuple):
    """How the live bouts of a contest are shown."""

    delay: float = 0.0
    """Seconds by which they are shown later than they are played."""
    private: bool = False
    """Only for a class: they are in nobody's list, and films ask who looks."""


PUBLIC_ACCESS = LiveAccess()


class LiveAccessLookup:
    """The terms of contests by the ids of their live bouts. ``find_access`` belongs to the loop's
    thread and never waits; ``forget`` may be called from any."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._known: dict[int, LiveAccess] = {}
        self._requested: set[int] = set()
        self._lock = threading.Lock()

    def find_access(self, live: str) -> LiveAccess | None:
        """Of a bout under way; None: that is not known yet, so show nothing of it."""
        contest_id = parse_contest_id(live)
        if contest_id is None:
            return PUBLIC_ACCESS
        with self._lock:
            if contest_id not in self._known:
                self._requested.add(contest_id)
            return self._known.get(contest_id)

    def forget(self) -> None:
        """A contest was changed."""
        with self._lock:
            self._requested |= self._known.keys()
            self._known.clear()

    async def run_periodically(self) -> None:
        """For as long as the server runs."""
        while True:
            await asyncio.sleep(POLL_INTERVAL_S)
            with self._lock:
                asked, self._requested = self._requested, set()
            if not asked:
                continue
            try:
                found = await asyncio.to_thread(self._read_access, asked)
            except DatabaseUnavailable:
                found = {}
            with self._lock:
                self._known |= found
                self._requested |= asked - found.keys()

    def _read_access(self, asked: set[int]) -> dict[int, LiveAccess]:
        if not self.database.exists():
            return dict.fromkeys(asked, PUBLIC_ACCESS)
        query = sql.select(ContestRow).where(ContestRow.id.in_(asked))
        with self.database.reading() as session:
            told = {
                contest.id: LiveAccess(contest.delay_s, contest.group_id is not None)
                for contest in session.scalars(query)
            }
        return {id: told.get(id, PUBLIC_ACCESS) for id in asked}

    def require_visible(self, live: str, viewer: Identity) -> None:
        """Refuse whoever may not see a bout under way; reads the database."""
        contest_id = parse_contest_id(live)
        if contest_id is None or not self.database.exists():
            return
        with self.database.reading() as session:
            query = sql.select(ContestRow).where(ContestRow.id == contest_id)
            if (contest := session.scalars(query).first()) is not None:
                contest_access.require_visible(contest, viewer)


def parse_contest_id(live: str) -> int | None:
    """The contest of a live bout, by its id."""
    found = LIVE_BOUT_ID.match(live)
    return int(found[1]) if found else None


def is_delay_over(began: str, wall: Sequence[float], delay: float) -> bool:
    """Whether a bout that is over ended so long ago that everybody may know how."""
    if not delay:
        return True
    moment = datetime.fromisoformat(began)
    since = (datetime.now(UTC) - moment.astimezone(UTC)).total_seconds()
    return since >= delay + sum(wall) + 1  # it began within a second of what is written
