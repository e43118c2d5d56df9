"""Which version is checked next: everybody in turn, and last what was begun before."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Callable

import sqlalchemy as sql

from ludus.scheduling.schema import BotRow, VersionRow
from ludus.server.bots import bots
from ludus.server.database import Database

MAX_CHECK_STARTS = 3
"""A version whose check was begun so often, and never ended, is refused."""

Owner = tuple[str, int | None]


class CheckQueue:
    """Hands versions to several checkers at once.

    The owner (a person or a team) with the fewest checks under way is served first, then whoever
    was served longest ago: with two hundred uploads one waits for one's own. Every start is
    written down before it, so that an office that died knows what it was at; such versions come
    after all others. A check that ends, or that was under way when the office was told
    to stop, does not count.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self._under_way: dict[int, Owner] = {}
        self._last_served: dict[Owner, int] = {}
        self._ticks = itertools.count(1)
        self._uncounted_starts: set[int] = set()
        """Versions whose start is written down although it is not to count."""
        self._lock = threading.Lock()

    def take_next(self) -> tuple[int, int] | None:
        """A version, from now on under way, and how often its check was begun before."""
        with self._lock:
            waiting = self._waiting()
            if not waiting:
                return None
            version_id, starts, owner = min(waiting, key=self._rank())
            if version_id in self._uncounted_starts:
                starts -= 1
            else:
                self._write_start(version_id)
            self._uncounted_starts.discard(version_id)
            self._under_way[version_id] = owner
            self._last_served[owner] = next(self._ticks)
            return version_id, starts

    def _waiting(self) -> list[tuple[int, int, Owner]]:
        query = (
            sql.select(VersionRow.id, VersionRow.check_starts, BotRow.user_id, BotRow.team_id)
            .join(BotRow, BotRow.id == VersionRow.bot_id)
            .where(VersionRow.state == bots.CHECKING, VersionRow.id.not_in(self._under_way))
        )
        with self.database.reading() as session:
            return [
                (id, starts, ("user", user) if team is None else ("team", team))
                for id, starts, user, team in session.execute(query)
            ]

    def _rank(self) -> Callable[[tuple[int, int, Owner]], tuple[int, int, int, int]]:
        busy = Counter(self._under_way.values())

        def rank(waiting: tuple[int, int, Owner]) -> tuple[int, int, int, int]:
            version_id, starts, owner = waiting
            begun = starts - (version_id in self._uncounted_starts)
            return begun, busy[owner], self._last_served.get(owner, 0), version_id

        return rank

    def _write_start(self, version_id: int) -> None:
        with self.database.writing() as session:
            session.get_one(VersionRow, version_id).check_starts += 1

    def finish(self, version_id: int) -> None:
        """It is not under way any more. If nothing was written about it, it is begun again."""
        with self._lock:
            self._under_way.pop(version_id, None)
            self._uncounted_starts.add(version_id)
            if len(self._uncounted_starts) > 1000:
                self._uncounted_starts = {
                    id for id, _, _ in self._waiting()
                } & self._uncounted_starts

    def close(self) -> None:
        """The office stops: what is under way is begun anew by the next, and that is no fault."""
        with self._lock, self.database.writing() as session:
            for version_id in self._under_way:
                version = session.get_one(VersionRow, version_id)
                version.check_starts = max(0, version.check_starts - 1)
            self._under_way.clear()
