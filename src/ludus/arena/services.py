"""What the server keeps while it runs, wired together in one place."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from ludus.arena.journals import Journals, record_name
from ludus.arena.library import Library
from ludus.arena.live import Hub
from ludus.errors import LudusError
from ludus.home import home
from ludus.match.record import Record


@dataclass(frozen=True, slots=True)
class Settings:
    """How a server is started."""

    loopback: bool = True
    """Only programs of this machine can reach it."""
    demo: bool = True
    """Whether a demo match of each game is always on."""
    names: tuple[str, ...] = ()
    """Names, besides addresses, under which the server may be asked."""


class Arena:
    """The services behind the page: records, bouts under way, rooms, uploads."""

    def __init__(self, settings: Settings | None = None, folder: Path | None = None) -> None:
        self.settings = settings or Settings()
        self.folder = folder or home()
        self.library = Library(self.folder / "records")
        self.hub = Hub()
        self.journals = Journals(self.folder / "live", self.hub)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Everything that goes on by itself, for as long as this lasts."""
        tasks = [asyncio.create_task(self.journals.follow()), asyncio.create_task(self.hub.tend())]
        try:
            yield
        finally:
            self.hub.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def saved(self, id: str) -> str | None:
        """The name of the saved record of an id; a bout under way becomes a record in the end."""
        return next((n for n in (id, record_name(id)) if self.library.path(n)), None)

    async def film(self, id: str) -> bytes:
        """The packed film of an id: saved, under way or just over."""
        stage = self.hub.find(id)
        if stage is not None and (stage.over is None or not self.saved(id)):
            stage.catch_up()
            if stage.films:
                data = stage.film.encode()
                return await asyncio.to_thread(gzip.compress, data, 6)
        if (name := self.saved(id)) is None:
            raise unknown(id)
        packed = await asyncio.to_thread(self.library.film, name)
        if packed is None:
            raise unknown(id)
        return packed

    def record(self, id: str) -> Record:
        """The record behind an id, or a LudusError."""
        if (name := self.saved(id)) and (record := self.library.record(name)):
            return record
        raise unknown(id)


class NotFound(LudusError):
    """What was asked for is not here."""


def unknown(id: str) -> NotFound:
    return NotFound(f"there is no bout {id!r} here (any more)", f"这里没有（或不再有）对局 {id!r}")
