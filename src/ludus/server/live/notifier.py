"""Subscriptions to changes of contests, ladders, versions and notices. Belongs to the event loop's
thread."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterator
from typing import Any

import msgspec

from ludus.errors import LudusError
from ludus.scheduling.database import DatabaseUnavailable
from ludus.scheduling.schema import BotRow, VersionRow
from ludus.scheduling.schema.contests import LADDER
from ludus.server.accounts import notices
from ludus.server.accounts.context import SiteContext
from ludus.server.bots import bots
from ludus.server.contests import contest_access
from ludus.server.live.live_bouts import Watcher
from ludus.server.live.messages import (
    ChangedMessage,
    NoticeMessage,
    VersionMessage,
    encode_message,
)

log = logging.getLogger(__name__)

NOTIFY_INTERVAL_S = 0.5
"""Seconds between two messages that something has changed."""


class Notifier:
    """Watchers by subject: ``("user", 3)``, ``("contest", 7)``, ``("ladder", "go")``."""

    def __init__(self, site: SiteContext) -> None:
        self.site = site
        self._watchers: dict[tuple[str, Any], set[Watcher]] = {}
        self._changed_contests: set[int] = set()
        self._changed_versions: set[int] = set()
        self._last_notice_id: int | None = None

    @contextlib.contextmanager
    def subscribe(self, what: tuple[str, Any], watcher: Watcher) -> Iterator[None]:
        """Send the watcher every message about a subject while the context is open."""
        self._watchers.setdefault(what, set()).add(watcher)
        try:
            yield
        finally:
            self._watchers[what].discard(watcher)
            if not self._watchers[what]:
                del self._watchers[what]

    def mark_contest_changed(self, id: int) -> None:
        self._changed_contests.add(id)

    def mark_version_changed(self, id: int) -> None:
        self._changed_versions.add(id)

    async def run_periodically(self) -> None:
        """Send queued changes, while the server runs."""
        while True:
            await asyncio.sleep(NOTIFY_INTERVAL_S)
            if not self._watchers:
                self._last_notice_id = None
                self._changed_contests.clear()
                self._changed_versions.clear()
                continue
            try:
                changed, self._changed_contests = self._changed_contests, set()
                versions, self._changed_versions = self._changed_versions, set()
                for what, text in await asyncio.to_thread(
                    self._collect_messages, changed, versions
                ):
                    for watcher in self._watchers.get(what, ()):
                        watcher.send(text)
            except DatabaseUnavailable:
                continue
            except Exception:  # one error must not stop all further notifications
                log.exception("changes could not be sent to watchers")

    def _collect_messages(
        self, changed: set[int], versions: set[int]
    ) -> list[tuple[tuple[str, Any], str]]:
        if not self.site.database.exists():
            return []
        found: list[tuple[tuple[str, Any], str]] = []
        with self.site.database.reading() as session:
            for id in sorted(changed):
                with contextlib.suppress(LudusError):
                    contest = contest_access.get_contest(session, id)
                    what = ("contest", id)
                    if contest.kind == LADDER:
                        what = ("ladder", contest.game)  # type: ignore[assignment]
                    found.append((what, encode_message(ChangedMessage())))
            for id in sorted(versions):
                found += self._version_messages(session, id)
            if self._last_notice_id is None:
                self._last_notice_id = notices.find_newest_id(session)
            for row in notices.list_since(session, self._last_notice_id):
                self._last_notice_id = row.id
                message = NoticeMessage(**msgspec.structs.asdict(notices.describe_notice(row)))
                found.append((("user", row.user_id), encode_message(message)))
        return found

    def _version_messages(self, session: Any, id: int) -> list[tuple[tuple[str, Any], str]]:
        version = session.get(VersionRow, id)
        if version is None:
            return []
        bot = session.get_one(BotRow, version.bot_id)
        facts = bots.describe_version(version, bot, mine=True)
        text = encode_message(VersionMessage(**msgspec.structs.asdict(facts)))
        return [(("user", user), text) for user in bots.list_owner_ids(session, bot)]

    def close(self) -> None:
        for watchers in self._watchers.values():
            for watcher in watchers:
                watcher.close()
