"""The order in which versions are checked: owners take turns, and interrupted checks come last."""

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
"""A version whose check was started so often without ending is refused."""

Owner = tuple[str, int | None]


class CheckQueue:
    """Gives versions to several checkers at once.

    The owner (a person or a team) with the fewest running checks comes first, then the one served
    longest ago, so two hundred uploads of one person delay only that person. Every start is stored
    before the check, so that after a crash of the process it is known which check was running; such
    versions come after all others. A check that ends, or that was running when the process was
    asked to stop, does not count as a crash.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self._under_way: dict[int, Owner] = {}
        self._last_served: dict[Owner, int] = {}
        self._ticks = itertools.count(1)
        self._uncounted_starts: set[int] = set()
        """Versions whose stored start does not count."""
        self._lock = threading.Lock()

    def take_next(self) -> tuple[int, int] | None:
        """The next version to check and how often its check was started before; None: none is
        waiting."""
        with self._lock:
            waiting = self._list_waiting()
            if not waiting:
                return None
            version_id, starts, owner = min(waiting, key=self._make_rank())
            if version_id in self._uncounted_starts:
                starts -= 1
            else:
                with self.database.writing() as session:
                    session.get_one(VersionRow, version_id).check_starts += 1
            self._uncounted_starts.discard(version_id)
            self._under_way[version_id] = owner
            self._last_served[owner] = next(self._ticks)
            return version_id, starts

    def _list_waiting(self) -> list[tuple[int, int, Owner]]:
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

    def _make_rank(self) -> Callable[[tuple[int, int, Owner]], tuple[int, int, int, int]]:
        busy = Counter(self._under_way.values())

        def rank(waiting: tuple[int, int, Owner]) -> tuple[int, int, int, int]:
            version_id, starts, owner = waiting
            begun = starts - (version_id in self._uncounted_starts)
            return begun, busy[owner], self._last_served.get(owner, 0), version_id

        return rank

    def finish(self, version_id: int) -> None:
        """Mark a check as ended. If no result was stored, it will be started again."""
        with self._lock:
            self._under_way.pop(version_id, None)
            self._uncounted_starts.add(version_id)
            if len(self._uncounted_starts) > 1000:
                self._uncounted_starts = {
                    id for id, _, _ in self._list_waiting()
                } & self._uncounted_starts

    def close(self) -> None:
        """Take back the starts of running checks: the process stops, and the next one repeats
        them."""
        with self._lock, self.database.writing() as session:
            for version_id in self._under_way:
                version = session.get_one(VersionRow, version_id)
                version.check_starts = max(0, version.check_starts - 1)
            self._under_way.clear()
