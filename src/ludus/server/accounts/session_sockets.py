"""Closes the sockets of a session or token when it ends."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator

import sqlalchemy as sql

from ludus.scheduling.database import DatabaseUnavailable
from ludus.scheduling.schema import SessionRow, TokenRow, UserRow
from ludus.server.accounts import credentials
from ludus.server.accounts.context import SiteContext
from ludus.timestamps import now

CHECK_INTERVAL_S = 30.0
"""Seconds between two checks without a known change: sessions and tokens expire, and another server
of the same home may have ended one."""
KEYS_PER_QUERY = 500
"""Keys in one query."""


def make_session_key(cookie: str, bearer: str | None) -> str:
    """The key under which a session or token is stored; a token takes precedence over a cookie."""
    return credentials.digest(cookie if bearer is None else bearer)


class SessionSockets:
    """The open sockets of each session and token. Belongs to the event loop's thread."""

    def __init__(self, site: SiteContext) -> None:
        self.site = site
        self._open: dict[str, set[asyncio.Future[None]]] = {}
        self._changed = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        site.on_identities_forgotten = self.check_soon

    @contextlib.contextmanager
    def register(self, key: str, ended: asyncio.Future[None]) -> Iterator[None]:
        """Set ``ended`` as soon as the session or token ends, while the context is open."""
        self._open.setdefault(key, set()).add(ended)
        self._changed.set()  # it may have ended since the request was authenticated
        try:
            yield
        finally:
            self._open[key].discard(ended)
            if not self._open[key]:
                del self._open[key]

    def check_soon(self) -> None:
        """Check soon whether sessions or tokens have ended; may be called from any thread."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is gone, and all sockets with it
                self._loop.call_soon_threadsafe(self._changed.set)

    async def run_periodically(self) -> None:
        """End the sockets of ended sessions and tokens, while the server runs."""
        self._loop = asyncio.get_running_loop()
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), CHECK_INTERVAL_S)
            self._changed.clear()
            if not self._open:
                continue
            try:
                keys = set(self._open)
                alive = await asyncio.to_thread(self._find_alive, sorted(keys))
            except DatabaseUnavailable:
                continue
            for key in keys - alive:
                for ended in self._open.get(key, ()):
                    if not ended.done():
                        ended.set_result(None)

    def _find_alive(self, keys: list[str]) -> set[str]:
        """The keys of sessions and tokens that are still valid."""
        found: set[str] = set()
        with self.site.database.reading() as session:
            for row in (SessionRow, TokenRow):
                for first in range(0, len(keys), KEYS_PER_QUERY):
                    some = keys[first : first + KEYS_PER_QUERY]
                    query = (
                        sql.select(row.digest)
                        .join(UserRow, UserRow.id == row.user_id)
                        .where(row.digest.in_(some), UserRow.active.is_(True))
                        .where(sql.or_(row.expires_at.is_(None), row.expires_at > now()))
                    )
                    found.update(session.scalars(query))
        return found
