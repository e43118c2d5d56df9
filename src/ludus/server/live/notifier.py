"""Everybody who waits for news of the club over a socket. Belongs to the event loop's thread."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import traceback
from collections.abc import Iterator
from typing import Any

from ludus.errors import LudusError
from ludus.scheduling.database import StoreTrouble
from ludus.server.accounts import notices
from ludus.server.accounts.context import Club
from ludus.server.bots import bots
from ludus.server.contests import events
from ludus.server.live.film import encode
from ludus.server.live.hub import Watcher, message
from ludus.server.tables import BotRow, VersionRow

PAUSE = 0.5
"""Seconds between two messages that something has changed."""


class Crowd:
    """Watchers by what they wait for: ``("user", 3)``, ``("event", 7)``, ``("ladder", "go")``."""

    def __init__(self, club: Club) -> None:
        self.club = club
        self._watchers: dict[tuple[str, Any], set[Watcher]] = {}
        self._changed: set[int] = set()
        self._versions: set[int] = set()
        self._mark: int | None = None

    @contextlib.contextmanager
    def waiting(self, what: tuple[str, Any], watcher: Watcher) -> Iterator[None]:
        """While this lasts, the watcher hears of it."""
        self._watchers.setdefault(what, set()).add(watcher)
        try:
            yield
        finally:
            self._watchers[what].discard(watcher)
            if not self._watchers[what]:
                del self._watchers[what]

    def event(self, id: int) -> None:
        self._changed.add(id)

    def version(self, id: int) -> None:
        self._versions.add(id)

    async def tend(self) -> None:
        """For as long as the server runs: tell everybody what is new."""
        while True:
            await asyncio.sleep(PAUSE)
            if not self._watchers:
                self._mark = None
                self._changed.clear()
                self._versions.clear()
                continue
            try:
                changed, self._changed = self._changed, set()
                versions, self._versions = self._versions, set()
                for what, text in await asyncio.to_thread(self._news, changed, versions):
                    for watcher in self._watchers.get(what, ()):
                        watcher.send(text)
            except StoreTrouble:
                continue
            except Exception as error:  # a mistake of ours must not silence everybody for good
                traceback.print_exception(error, file=sys.stderr)

    def _news(self, changed: set[int], versions: set[int]) -> list[tuple[tuple[str, Any], str]]:
        if not self.club.database.exists():
            return []
        found: list[tuple[tuple[str, Any], str]] = []
        with self.club.database.reading() as session:
            for id in sorted(changed):
                with contextlib.suppress(LudusError):
                    event = events.event_of(session, id)
                    what = ("event", id)
                    if event.kind == events.LADDER:
                        what = ("ladder", event.game)  # type: ignore[assignment]
                    found.append((what, message("changed")))
            for id in sorted(versions):
                found += self._about_version(session, id)
            if self._mark is None:
                self._mark = notices.newest(session)
            for row in notices.since(session, self._mark):
                self._mark = row.id
                found.append((("user", row.user_id), _text("notice", notices.as_json(row))))
        return found

    def _about_version(self, session: Any, id: int) -> list[tuple[tuple[str, Any], str]]:
        version = session.get(VersionRow, id)
        if version is None:
            return []
        bot = session.get_one(BotRow, version.bot_id)
        text = _text("version", bots.version_json(version, bot, mine=True))
        return [(("user", user), text) for user in bots.owners(session, bot)]

    def close(self) -> None:
        for watchers in self._watchers.values():
            for watcher in watchers:
                watcher.close()


def _text(kind: str, facts: dict[str, Any]) -> str:
    return encode({**facts, "type": kind}).decode()
