"""What the server keeps while it runs, wired together in one place."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from litestar.di import NamedDependency

from ludus.arena.demo import Demos
from ludus.arena.film import film_of
from ludus.arena.journals import Journals, record_name
from ludus.arena.library import Library
from ludus.arena.live import Hub, Stage
from ludus.arena.matches import Matches
from ludus.arena.requests import Beginning
from ludus.arena.rooms import Rooms
from ludus.arena.stable import Stable
from ludus.arena.uploads import Uploads
from ludus.errors import LudusError
from ludus.games.base import Position
from ludus.games.registry import get
from ludus.home import home
from ludus.match import store
from ludus.match.record import SUFFIX, Record, pack

BEGINNING = 30
"""Tenths of a second that a bout may take to begin, when somebody asks for it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a server is started."""

    loopback: bool = True
    """Only programs of this machine can reach it."""
    demo: bool = True
    """Whether a demo match of each game is always on."""
    reader: tuple[str, ...] = ()
    """The program that reads files people open; without one they open none."""
    bots: tuple[tuple[str, str], ...] = ()
    """Bots besides the house's: pairs of a game and a bot's file."""
    names: tuple[str, ...] = ()
    """Names, besides addresses, under which the server may be asked."""


class Arena:
    """The services behind the page: records, bouts under way, rooms, uploads."""

    def __init__(self, settings: Settings | None = None, folder: Path | None = None) -> None:
        self.settings = settings or Settings()
        self.folder = folder or home()
        self.stable = Stable(self.settings.bots)
        self.library = Library(self.folder / "records")
        self.hub = Hub()
        self.journals = Journals(self.folder / "live", self.hub)
        self.rooms = Rooms(self.hub, self.save)
        self.matches = Matches(self.hub, self.save)
        self.demos = Demos(self.hub)
        self.uploads = Uploads(self.settings.reader)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Everything that goes on by itself, for as long as this lasts."""
        chores = (self.journals.follow(), self.hub.tend(), self.rooms.tend())
        tasks = [asyncio.create_task(chore) for chore in chores]
        if self.settings.demo:
            self.demos.start()
        try:
            yield
        finally:
            self.hub.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.to_thread(self._close)

    def _close(self) -> None:
        """Wait for the threads; the loop goes on meanwhile, for they talk to it."""
        for service in (self.demos, self.rooms, self.matches):
            service.close()

    def save(self, record: Record, name: str | None = None) -> str | None:
        """Keep a record; its id, or None if it cannot be written."""
        name = name or store.stem_of(record.game, [bot.name for bot in record.bots])
        with contextlib.suppress(LudusError):
            path = store.save_as_new(self.library.folder, name, SUFFIX, pack(record))
            return path.name.removesuffix(SUFFIX)
        return None

    def saved(self, id: str) -> str | None:
        """The name of the saved record of an id; a bout under way becomes a record in the end."""
        return next((n for n in (id, record_name(id)) if self.library.path(n)), None)

    async def film_from(self, id: str, seat: int) -> bytes:
        """The packed film of a bout that is over, as it was seen on a seat."""
        record = await asyncio.to_thread(self.record, id)
        if seat >= len(record.bots):
            raise unknown(id)
        film = await asyncio.to_thread(film_of, record, id, seat=seat)
        return await asyncio.to_thread(gzip.compress, film.encode(), 6)

    async def film(self, id: str) -> bytes:
        """The packed film of an id: saved, under way or just over."""
        stage = self.stage(id)
        if stage is not None and (stage.over is None or not self.saved(id)):
            stage.seen = time.monotonic()
            if await self._begun(stage):
                data = stage.film.encode()
                return await asyncio.to_thread(gzip.compress, data, 6)
        packed = await asyncio.to_thread(self._film, id)
        if packed is None:
            raise unknown(id)
        return packed

    def stage(self, id: str) -> Stage | None:
        """The bout under way (or just over) of an id, even if it began this very moment."""
        if (found := self.hub.find(id)) is None:
            self.journals.look()
            found = self.hub.find(id)
        return found

    async def _begun(self, stage: Stage) -> bool:
        """Wait a little for a bout that is just about to begin."""
        for _ in range(BEGINNING):
            stage.catch_up()
            if stage.films:
                break
            await asyncio.sleep(0.1)
        return bool(stage.films)

    def _film(self, id: str) -> bytes | None:
        if name := self.saved(id):
            return self.library.film(name)
        return self.uploads.film(id)

    def record(self, id: str) -> Record:
        """The record behind an id, or a LudusError."""
        if (name := self.saved(id)) and (record := self.library.record(name)):
            return record
        if opened := self.uploads.find(id):
            return opened.record
        raise unknown(id)

    async def beginning(self, id: str, step: int) -> Beginning:
        """The first steps of a film, to be played on from."""
        film = msgspec.json.decode(gzip.decompress(await self.film(id)), type=Shown)
        if not film.can["continue"] or film.seed is None:
            raise LudusError("this bout cannot be played on", "这一局不能从中途继续")
        if step > len(film.steps):
            raise LudusError(
                f"the bout has {len(film.steps)} steps, there is no step {step}",
                f"这一局共 {len(film.steps)} 步，没有第 {step} 步",
            )
        plies = [each.moves for each in film.steps[:step]]
        return Beginning(film.game["name"], film.options, film.seed, plies)

    async def position(self, id: str, step: int) -> Position:
        """The position of a film after a step."""
        begun = await self.beginning(id, step)
        game = get(begun.game)
        position = game.start(game.Options.parse(begun.options), begun.seed)
        for ply in begun.opening:
            position.play(ply)
        return position


Served = NamedDependency[Arena]
"""The arena, as the application gives it to its handlers."""


class ShownStep(msgspec.Struct):
    """What is read of a film's step."""

    moves: dict[int, str]


class Shown(msgspec.Struct):
    """What is read of a film to play on from it."""

    game: dict[str, Any]
    options: dict[str, Any]
    seed: int | None
    steps: list[ShownStep]
    can: dict[str, bool]


class NotFound(LudusError):
    """What was asked for is not here."""


def unknown(id: str) -> NotFound:
    return NotFound(f"there is no bout {id!r} here (any more)", f"这里没有（或不再有）对局 {id!r}")
