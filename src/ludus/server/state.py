"""What the server keeps while it runs, wired together in one place."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import sys
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from litestar.di import NamedDependency

from ludus.bots import temp_folders
from ludus.bots.resolve import Source
from ludus.errors import LudusError
from ludus.games.base import Game, Position
from ludus.games.registry import listed
from ludus.home import close_home, home
from ludus.lang import tr
from ludus.match import record_files
from ludus.match.record import SUFFIX, Record, pack, unpack, without_traces
from ludus.sandbox import Level, levels
from ludus.scheduling.cluster_key import Cluster
from ludus.server.accounts import name_rules as names
from ludus.server.accounts import users
from ludus.server.accounts.context import Club
from ludus.server.accounts.identity import NOBODY, Viewer
from ludus.server.accounts.session_sockets import LoggedIn
from ludus.server.admin import site_settings
from ludus.server.admin.health import Health
from ludus.server.admin.metrics import Meter
from ludus.server.background.supervisor import Line
from ludus.server.bots.catalogue import Stable
from ludus.server.bots.version_files import Locker
from ludus.server.contests import events
from ludus.server.contests.views import Boards
from ludus.server.contests.visibility import Showing
from ludus.server.live.demo import Demos
from ludus.server.live.film import film_of
from ludus.server.live.hub import Hub, Stage
from ludus.server.live.journals import Journals, record_name
from ludus.server.live.notifier import Crowd
from ludus.server.matches import Matches
from ludus.server.records import played_bouts
from ludus.server.records.library import Library
from ludus.server.records.opened_files import Uploads
from ludus.server.rooms.rooms import Rooms
from ludus.server.web.errors import NotAllowed, NotFound, login_first
from ludus.server.web.schemas import Beginning
from ludus.server.web.traffic import DEFAULT_LIMITS, Caller, Traffic, TrafficLimits, caller_of

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
    proxies: tuple[str, ...] = ()
    """Addresses and networks of proxies, whose word about who asks is taken."""
    limits: TrafficLimits = DEFAULT_LIMITS
    """How much anybody may use of the server."""
    database: str = ""
    """Where accounts and contests are kept; by default a file in the server's home."""
    jobs: int = 0
    """Bouts of the club that are played at once; 0: none are played here."""
    cluster: Cluster | None = None
    """A cluster that plays them instead."""
    allow_plain: bool = False
    """Take uploads even where jails are weak."""
    log: str = ""
    """A file to which every request is written as a line of JSON; ``-`` is stderr."""

    @property
    def trusted_proxies(self) -> tuple[str, ...]:
        """Where none is named: this machine's, if the server has a name, else none."""
        return self.proxies or (("127.0.0.1", "::1") if self.names else ())


class Arena:
    """The services behind the page: records, bouts under way, rooms, uploads."""

    def __init__(self, settings: Settings | None = None, folder: Path | None = None) -> None:
        self.settings = settings or Settings()
        self.folder = folder or home()
        self.stable = Stable(self.settings.bots)
        self.library = Library(self.folder / "records")
        self.hub = Hub()
        self.traffic = Traffic(self.settings.limits)
        self.rooms = Rooms(self.hub, self.save, self.settings.limits)
        self.matches = Matches(self.hub, self.save, self.settings.limits)
        self.demos = Demos(self.hub)
        self.uploads = Uploads(self.settings.reader)
        self.club = Club(self.folder, self.settings.database, limits=self.settings.limits)
        self.showing = Showing(self.club.database)
        self.journals = Journals(self.folder / "live", self.hub, self.showing.of)
        self.boards = Boards(self.club.database)
        self.crowd = Crowd(self.club)
        self.logged_in = LoggedIn(self.club)
        self.locker = Locker(self.club.database, self.folder / "versions")
        self.office = Line(
            {
                "database": self.club.database.address,
                "folder": str(self.folder),
                "jobs": self.settings.jobs,
                "allow_plain": self.settings.allow_plain,
                "cluster": msgspec.to_builtins(self.settings.cluster),
            },
            self._hear,
        )
        self.meter = Meter()
        self.health = Health(self.folder, self.club.database, self.office)
        self._levels: tuple[Level, ...] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    # The club

    def club_begins(self) -> None:
        """There is an account now, so there is something to do for the office."""
        if self.settings.jobs or self.settings.cluster:
            self.office.start()

    def _close_home(self) -> None:
        """Nobody else on this machine reads what is kept here; say so where they could."""
        database = Path(self.club.database.address)
        files = [Path(f"{database}{suffix}") for suffix in ("", "-wal", "-shm")]
        with contextlib.suppress(OSError):  # a home that cannot be written to
            closed = close_home(self.folder, *files)
            for path in closed:
                if self.folder in path.parents and self.folder not in closed:
                    continue  # nobody could get there
                said = tr(f"closed {path} to other users", f"已禁止其他用户访问 {path}")
                print(said, file=sys.stderr, flush=True)

    def _open_club(self) -> None:
        self._close_home()
        if self.club.empty():
            _ = self.club.first_account.code  # written for whoever may read it
            return
        self.club.first_account.over()
        if not self.settings.allow_plain:
            with self.club.database.writing() as session:
                site_settings.forget_plain(session)
        self.club_begins()

    def ring(self) -> None:
        """There is something new to be checked or played."""
        self.office.ring()

    def changed(self, event_id: int) -> None:
        """Tell whoever looks at an event; from any thread."""
        self._hear({"type": "event", "id": event_id})

    def _hear(self, said: Mapping[str, Any]) -> None:
        """What the office tells, in its thread."""
        tell = {"event": self.crowd.event, "version": self.crowd.version}.get(said["type"])
        if tell is not None and self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(tell, said["id"])

    def refuse_guests(self, viewer: Viewer) -> None:
        """Where the organiser says so, only who has an account may play."""
        if not viewer.known and self.club.database.exists() and not self.club.rules.guests:
            raise login_first()

    def caller(self, viewer: Viewer, address: str) -> Caller:
        """As whom somebody is counted; where nobody has an account, the machine's own people may
        do as much as the staff."""
        return caller_of(viewer, address, own_machine=self.own_machine)

    @property
    def own_machine(self) -> bool:
        """Whether only this machine reaches the server, and nobody has an account yet."""
        return self.settings.loopback and not self.club.database.exists()

    def _for_others(self, record: Record) -> Record:
        """A record without what bots said when they failed, where others than their owner come."""
        return record if self.own_machine else without_traces(record)

    def bot(self, viewer: Viewer, word: str | int, game: Game) -> Source:
        """A bot for a room: the house's, one the server was started with, or one of the club."""
        if isinstance(word, str) and not word.isdecimal():
            return self.stable.find(word, game)
        viewer.must_be_known()
        with self.club.database.reading() as session:
            found = events.meant(session, viewer, word, game)
            assert found.bot is not None and found.version is not None
            name, version_id = f"{found.bot.name} #{found.version.number}", found.version.id
        self.refuse_uploads()
        return self.locker.source(version_id, name, game)

    def marked(self, viewer: Viewer, name: str) -> str:
        """A name that somebody typed for a seat; marked where it looks like an account's that is
        not theirs, for whoever sits there also talks by it."""
        if not name or not self.club.database.exists():
            return name
        with self.club.database.reading() as session:
            taken = users.looks_like(session, name, viewer.id)
        taken |= not viewer.staff and names.claims_office(name)
        return f"{name} {tr('(guest)', '（访客）')}" if taken else name

    def refuse_uploads(self) -> None:
        """Strangers' programs need a jail that holds."""
        wanted = Level(self.club.rules.jail or Level.USERNS)
        if self.settings.allow_plain and wanted is not Level.STRONG:
            return
        if self._levels is None:
            self._levels = levels()
        order = list(Level)
        if order.index(self._levels[0]) > order.index(wanted):
            raise NotAllowed(
                f"this machine's jails are only {self._levels[0]!s}, so it takes no uploads;"
                " see ludus doctor, or start the server with --allow-plain",
                f"本机沙箱级别仅为 {self._levels[0]!s}，不接受上传；"
                "见 ludus doctor，或以 --allow-plain 启动服务器",
            )

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Everything that goes on by itself, for as long as this lasts."""
        self._loop = asyncio.get_running_loop()
        await asyncio.to_thread(temp_folders.sweep)
        await asyncio.to_thread(self._open_club)
        chores = (self.journals.follow(), self.showing.tend(), self.health.tend())
        services = (self.hub, self.rooms, self.crowd, self.logged_in)
        tasks = [asyncio.create_task(chore) for chore in (*chores, *(s.tend() for s in services))]
        if self.settings.demo:
            self.demos.start()
        try:
            yield
        finally:
            self.hub.close()
            self.crowd.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.to_thread(self._close)

    def _close(self) -> None:
        """Wait for the threads; the loop goes on meanwhile, for they talk to it."""
        for service in (self.demos, self.rooms, self.matches, self.office, self.club):
            service.close()

    def save(self, record: Record, name: str | None = None) -> str | None:
        """Keep a record; its id, or None if it cannot be written."""
        name = name or record_files.stem_of(record.game, [bot.name for bot in record.bots])
        with contextlib.suppress(LudusError):
            data = pack(self._for_others(record))
            path = record_files.save_as_new(self.library.folder, name, SUFFIX, data)
            return path.name.removesuffix(SUFFIX)
        return None

    def saved(self, id: str) -> str | None:
        """The name of the saved record of an id; a bout under way becomes a record in the end."""
        return next((n for n in (id, record_name(id)) if self.library.path(n)), None)

    async def film_from(self, id: str, seat: int, viewer: Viewer = NOBODY) -> bytes:
        """The packed film of a bout that is over, as it was seen on a seat."""
        record = await asyncio.to_thread(self.record, id, viewer)
        if seat >= len(record.bots):
            raise unknown(id)
        film = await asyncio.to_thread(film_of, record, id, seat=seat)
        return await asyncio.to_thread(gzip.compress, film.encode(), 6)

    async def film(self, id: str, viewer: Viewer = NOBODY) -> bytes:
        """The packed film of an id: saved, under way or just over."""
        if self._is_clubs(id):
            return await asyncio.to_thread(self._club_film, id, viewer)
        stage = self.stage(id)
        if stage is not None:
            await asyncio.to_thread(self.showing.must_see, id, viewer)
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
        if (found := self.hub.find(id)) is None and self.journals.open_new(id):
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

    def _is_clubs(self, id: str) -> bool:
        """A record of this machine may happen to be called like a film of the club."""
        return played_bouts.is_ours(id) and self.hub.find(id) is None and not self.saved(id)

    def _club_film(self, id: str, viewer: Viewer) -> bytes:
        """Of a bout of the club, if they may see it."""
        data, match = self._club_record(id, viewer)
        key = (id, match and match["of"])
        return self.library.packed.get(
            key, lambda: film_of(unpack(data, id), id, "record", match).encode()
        )

    def _club_record(self, id: str, viewer: Viewer) -> tuple[bytes, dict[str, Any] | None]:
        if not self.club.database.exists():
            raise unknown(id)
        with self.club.database.reading() as session:
            return played_bouts.record(session, id, viewer), played_bouts.neighbours(session, id)

    def _film(self, id: str) -> bytes | None:
        if name := self.saved(id):
            return self.library.film(name)
        return self.uploads.film(id)

    def record(self, id: str, viewer: Viewer = NOBODY) -> Record:
        """The record behind an id, or a LudusError."""
        if self._is_clubs(id):
            return unpack(self._club_record(id, viewer)[0], id)
        if (name := self.saved(id)) and (record := self.library.record(name)):
            return self._for_others(record)
        if opened := self.uploads.find(id):
            return opened.record
        raise unknown(id)

    async def beginning(self, id: str, step: int, viewer: Viewer = NOBODY) -> Beginning:
        """The first steps of a film, to be played on from."""
        film = msgspec.json.decode(gzip.decompress(await self.film(id, viewer)), type=Shown)
        if not film.can["continue"] or film.seed is None:
            raise LudusError("this bout cannot be played on", "这一局不能从中途继续")
        if step > len(film.steps):
            raise LudusError(
                f"the bout has {len(film.steps)} steps, there is no step {step}",
                f"这一局共 {len(film.steps)} 步，没有第 {step} 步",
            )
        plies = [each.moves for each in film.steps[:step]]
        return Beginning(film.game["name"], film.options, film.seed, plies)

    async def position(self, id: str, step: int, viewer: Viewer = NOBODY) -> Position:
        """The position of a film after a step."""
        begun = await self.beginning(id, step, viewer)
        game = listed(begun.game)
        position = game.start(game.Options.parse(begun.options), begun.seed)
        for ply in begun.opening:
            position.play(ply)
        return position


Served = NamedDependency[Arena]
"""The arena, as the application gives it to its handlers."""
Asker = NamedDependency[Viewer]
"""Whoever asks, given in the same way."""


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


def unknown(id: str) -> NotFound:
    return NotFound(f"there is no bout {id!r} here (any more)", f"这里没有（或不再有）对局 {id!r}")
