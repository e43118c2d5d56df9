"""How much later than it is played a bout may be seen, where its contest says so."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Sequence
from datetime import UTC, datetime

import sqlalchemy as sql

from ludus.arena.club.database import Database
from ludus.arena.club.tables import EventRow
from ludus.contest.database import StoreTrouble

LOOK = 0.25
"""Seconds between two looks whether anybody asks for a contest that is not known yet."""
LIVE = re.compile(r"contest(\d+)-")


class Delays:
    """The delays of contests by the ids of their live bouts. ``of`` belongs to the loop's thread
    and never waits; ``forget`` may be called from any."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._known: dict[int, int] = {}
        self._asked: set[int] = set()
        self._lock = threading.Lock()

    def of(self, live: str) -> float | None:
        """Of a bout under way; None: that is not known yet, so show nothing of it."""
        found = LIVE.match(live)
        if found is None:
            return 0.0
        contest_id = int(found[1])
        with self._lock:
            if contest_id not in self._known:
                self._asked.add(contest_id)
            return self._known.get(contest_id)

    def forget(self) -> None:
        """A contest was changed."""
        with self._lock:
            self._asked |= self._known.keys()
            self._known.clear()

    async def tend(self) -> None:
        """For as long as the server runs."""
        while True:
            await asyncio.sleep(LOOK)
            with self._lock:
                asked, self._asked = self._asked, set()
            if not asked:
                continue
            try:
                found = await asyncio.to_thread(self._read, asked)
            except StoreTrouble:
                found = {}
            with self._lock:
                self._known |= found
                self._asked |= asked - found.keys()

    def _read(self, asked: set[int]) -> dict[int, int]:
        if not self.database.exists():
            return dict.fromkeys(asked, 0)
        query = sql.select(EventRow.contest_id, EventRow.delay).where(
            EventRow.contest_id.in_(asked)
        )
        with self.database.reading() as session:
            told = {id: delay for id, delay in session.execute(query) if id is not None}
        return {id: told.get(id, 0) for id in asked}


def past(began: str, wall: Sequence[float], delay: float) -> bool:
    """Whether a bout that is over ended so long ago that everybody may know how."""
    if not delay:
        return True
    moment = datetime.fromisoformat(began)
    since = (datetime.now(UTC) - moment.astimezone(UTC)).total_seconds()
    return since >= delay + sum(wall) + 1  # it began within a second of what is written
