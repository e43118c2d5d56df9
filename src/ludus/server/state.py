"""What the server keeps while it runs, wired together in one place."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from litestar.di import NamedDependency

from ludus.bots import temp_folders
from ludus.bots.resolve import BotSource
from ludus.errors import LudusError
from ludus.games.base import Game, Position
from ludus.games.registry import get_listed
from ludus.home import close_home, ludus_home
from ludus.lang import tr
from ludus.match import record_files
from ludus.match.record import SUFFIX, Record, pack, remove_traces, unpack
from ludus.sandbox import JailLevel, list_levels
from ludus.scheduling.cluster_key import Cluster
from ludus.server.accounts import name_rules as names
from ludus.server.accounts import users
from ludus.server.accounts.context import SiteContext
from ludus.server.accounts.identity import ANONYMOUS, Identity
from ludus.server.accounts.session_sockets import SessionSockets
from ludus.server.admin import site_settings
from ludus.server.admin.health import HealthChecks
from ludus.server.admin.metrics import RequestMetrics
from ludus.server.background.supervisor import BackgroundSupervisor, SourceState
from ludus.server.bots.catalogue import BotCatalogue
from ludus.server.bots.version_files import VersionFiles
from ludus.server.contests import entrants
from ludus.server.contests.views import ContestViews
from ludus.server.contests.visibility import LiveAccessLookup
from ludus.server.live.demo import Demos
from ludus.server.live.film import make_film
from ludus.server.live.film_schemas import BoutSummary, MatchPlace
from ludus.server.live.hub import LiveBout, LiveHub
from ludus.server.live.journals import JournalFollower, record_name
from ludus.server.live.live_films import LiveFilms
from ludus.server.live.notifier import Notifier
from ludus.server.live.streams import LiveStreams
from ludus.server.live.updates import LiveUpdate
from ludus.server.matches import Matches
from ludus.server.records import played_bouts
from ludus.server.records.library import RecordLibrary
from ludus.server.records.opened_files import OpenedFiles
from ludus.server.rooms.rooms import Rooms, call_in_loop
from ludus.server.web.errors import Forbidden, NotFound, login_required
from ludus.server.web.schemas import BoutBeginning
from ludus.server.web.traffic import (
    DEFAULT_LIMITS,
    Traffic,
    TrafficCaller,
    TrafficLimits,
    identify_caller,
)

log = logging.getLogger(__name__)

BOUT_START_POLLS = 30
"""Tenths of a second that a bout may take to begin, when somebody asks for it."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How a server is started."""

    loopback: bool = True
    """Only programs of this machine can reach it."""
    demo: bool = True
    """Whether a demo match of each game is always on."""
    reader: tuple[str, ...] = ()
    """The program that reads files people open; without one they open none."""
    extra_bots: tuple[tuple[str, str], ...] = ()
    """Bots besides the house's: pairs of a game and a bot's file."""
    host_names: tuple[str, ...] = ()
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
        return self.proxies or (("127.0.0.1", "::1") if self.host_names else ())


class ServerState:
    """The services behind the page: records, bouts under way, rooms, uploads."""

    def __init__(self, settings: ServerSettings | None = None, folder: Path | None = None) -> None:
        self.settings = settings or ServerSettings()
        self.folder = folder or ludus_home()
        self.bot_catalogue = BotCatalogue(self.settings.extra_bots)
        self.library = RecordLibrary(self.folder / "records")
        self.hub = LiveHub()
        self.traffic = Traffic(self.settings.limits)
        self.rooms = Rooms(self.hub, self.save, self.settings.limits)
        self.matches = Matches(self.hub, self.save, self.settings.limits)
        self.demos = Demos(self.hub)
        self.uploads = OpenedFiles(self.settings.reader)
        self.site = SiteContext(self.folder, self.settings.database, limits=self.settings.limits)
        self.live_access = LiveAccessLookup(self.site.database)
        self.live_films = LiveFilms(self._receive_local_update, self.live_access.find_access)
        self.journals = JournalFollower(self.folder / "live", self.live_films)
        self.contest_views = ContestViews(self.site.database)
        self.notifier = Notifier(self.site)
        self.session_sockets = SessionSockets(self.site)
        self.version_files = VersionFiles(self.site.database, self.folder / "versions")
        self.background = BackgroundSupervisor(
            {
                "database": self.site.database.address,
                "folder": str(self.folder),
                "jobs": self.settings.jobs,
                "allow_plain": self.settings.allow_plain,
                "cluster": msgspec.to_builtins(self.settings.cluster),
            },
            self._handle_background_message,
            self._receive_background_update,
        )
        self.streams = LiveStreams(self.hub)
        self.streams.connect(self.live_films)
        self.streams.connect(self.background)
        self.request_metrics = RequestMetrics()
        self.health = HealthChecks(self.folder, self.site.database, self.background)
        self._levels: tuple[JailLevel, ...] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    # The club

    def start_background(self) -> None:
        """There is an account now, so there is something to do for the office."""
        if self.settings.jobs or self.settings.cluster:
            self.background.start()

    def _close_home(self) -> None:
        """Nobody else on this machine reads what is kept here; say so where they could."""
        database = Path(self.site.database.address)
        files = [Path(f"{database}{suffix}") for suffix in ("", "-wal", "-shm")]
        with contextlib.suppress(OSError):  # a home that cannot be written to
            closed = close_home(self.folder, *files)
            for path in closed:
                if self.folder in path.parents and self.folder not in closed:
                    continue  # nobody could get there
                log.warning(tr("closed %s to other users", "已禁止其他用户访问 %s"), path)

    def _open_site(self) -> None:
        self._close_home()
        if self.site.has_no_accounts():
            _ = self.site.first_account.code  # written for whoever may read it
            return
        self.site.first_account.delete_code()
        if not self.settings.allow_plain:
            with self.site.database.writing() as session:
                site_settings.remove_plain_jail(session)
        self.start_background()

    def wake_background(self) -> None:
        """There is something new to be checked or played."""
        self.background.wake()

    def notify_contest_changed(self, contest_id: int) -> None:
        """Tell whoever looks at a contest; from any thread."""
        self._handle_background_message({"type": "contest", "id": contest_id})

    def _handle_background_message(self, said: Mapping[str, Any]) -> None:
        """What the office tells, in its thread."""
        tell = {
            "contest": self.notifier.mark_contest_changed,
            "version": self.notifier.mark_version_changed,
        }.get(said["type"])
        if tell is not None:
            self._call_in_loop(tell, said["id"])

    def _receive_local_update(self, update: LiveUpdate) -> None:
        self._call_in_loop(self.streams.receive, self.live_films, update)

    def _receive_background_update(self, update: LiveUpdate | SourceState) -> None:
        match update:
            case SourceState.STARTED:
                self._call_in_loop(self.streams.repeat_watches, self.background)
            case SourceState.ENDED:
                self._call_in_loop(self.streams.forget_source, self.background)
            case _:
                self._call_in_loop(self.streams.receive, self.background, update)

    def _call_in_loop(self, function: Callable[..., None], *given: Any) -> None:
        """From any thread; nothing while the services do not run."""
        if self._loop is not None:
            call_in_loop(self._loop, function, *given)

    def refresh_live_access(self) -> None:
        """A contest may be shown to others, or later, from now on."""
        self.live_access.forget()
        self.live_films.refresh_access()
        self.background.wake()

    def refuse_guests(self, viewer: Identity) -> None:
        """Where the organiser says so, only who has an account may play."""
        if (
            not viewer.is_logged_in
            and self.site.database.exists()
            and not self.site.settings.guests
        ):
            raise login_required()

    def identify_caller(self, viewer: Identity, address: str) -> TrafficCaller:
        """As whom somebody is counted; where nobody has an account, the machine's own people may
        do as much as the staff."""
        return identify_caller(viewer, address, own_machine=self.is_single_user)

    @property
    def is_single_user(self) -> bool:
        """Whether only this machine reaches the server, and nobody has an account yet."""
        return self.settings.loopback and not self.site.database.exists()

    def _strip_private_traces(self, record: Record) -> Record:
        """A record without what bots said when they failed, where others than their owner come."""
        return record if self.is_single_user else remove_traces(record)

    def find_bot(self, viewer: Identity, word: str | int, game: Game) -> BotSource:
        """A bot for a room: the house's, one the server was started with, or one of the club."""
        if isinstance(word, str) and not word.isdecimal():
            return self.bot_catalogue.find(word, game)
        viewer.require_login()
        with self.site.database.reading() as session:
            found = entrants.resolve_bot(session, viewer, word, game)
            assert found.bot is not None and found.version is not None
            name, version_id = f"{found.bot.name} #{found.version.number}", found.version.id
        self.refuse_uploads()
        return self.version_files.source(version_id, name, game)

    def mark_guest_name(self, viewer: Identity, name: str) -> str:
        """A name that somebody typed for a seat; marked where it looks like an account's that is
        not theirs, for whoever sits there also talks by it."""
        if not name or not self.site.database.exists():
            return name
        with self.site.database.reading() as session:
            taken = users.is_confusable_name(session, name, viewer.id)
        taken |= not viewer.staff and names.claims_staff_role(name)
        return f"{name} {tr('(guest)', '（访客）')}" if taken else name

    def refuse_uploads(self) -> None:
        """Strangers' programs need a jail that holds."""
        wanted = JailLevel(self.site.settings.jail or JailLevel.USERNS)
        if self.settings.allow_plain and wanted is not JailLevel.STRONG:
            return
        if self._levels is None:
            self._levels = list_levels()
        order = list(JailLevel)
        if order.index(self._levels[0]) > order.index(wanted):
            raise Forbidden(
                f"this machine's jails are only {self._levels[0]!s}, so it takes no uploads;"
                " see ludus doctor, or start the server with --allow-plain",
                f"本机沙箱级别仅为 {self._levels[0]!s}，不接受上传；"
                "见 ludus doctor，或以 --allow-plain 启动服务器",
            )

    @contextlib.asynccontextmanager
    async def run_services(self) -> AsyncIterator[None]:
        """Everything that goes on by itself, for as long as this lasts."""
        self._loop = asyncio.get_running_loop()
        await asyncio.to_thread(temp_folders.sweep_temp_folders)
        await asyncio.to_thread(self._open_site)
        services = (self.health, self.hub, self.rooms, self.notifier, self.session_sockets)
        tasks = [asyncio.create_task(service.run_periodically()) for service in services]
        self.live_films.start()
        self.journals.start()
        if self.settings.demo:
            self.demos.start()
        try:
            yield
        finally:
            self.hub.close()
            self.notifier.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.to_thread(self._close)

    def _close(self) -> None:
        """Wait for the threads; the loop goes on meanwhile, for they talk to it."""
        films = (self.journals, self.live_films)
        for service in (self.demos, self.rooms, self.matches, *films, self.background, self.site):
            service.close()

    def save(self, record: Record, name: str | None = None) -> str | None:
        """Keep a record; its id, or None if it cannot be written."""
        name = name or record_files.make_stem(record.game, [bot.name for bot in record.bots])
        with contextlib.suppress(LudusError):
            data = pack(self._strip_private_traces(record))
            path = record_files.save_under_new_name(self.library.folder, name, SUFFIX, data)
            return path.name.removesuffix(SUFFIX)
        return None

    def find_saved_name(self, id: str) -> str | None:
        """The name of the saved record of an id; a bout under way becomes a record in the end."""
        return next((n for n in (id, record_name(id)) if self.library.find_path(n)), None)

    async def load_seat_film(self, id: str, seat: int, viewer: Identity = ANONYMOUS) -> bytes:
        """The packed film of a bout that is over, as it was seen on a seat."""
        record = await asyncio.to_thread(self.load_record, id, viewer)
        if seat >= len(record.bots):
            raise unknown_bout(id)
        film = await asyncio.to_thread(make_film, record, id, seat=seat)
        return await asyncio.to_thread(gzip.compress, film.encode(), 6)

    async def load_film(self, id: str, viewer: Identity = ANONYMOUS) -> bytes:
        """The packed film of an id: saved, under way or just over."""
        if self._is_stored_bout(id):
            return await asyncio.to_thread(self._load_stored_film, id, viewer)
        stage = await self.find_live_bout(id)
        if stage is not None:
            contest_id = stage.info.contest_id
            await asyncio.to_thread(self.live_access.require_visible, contest_id, viewer)
        if stage is not None and (stage.ended_at is None or not self.find_saved_name(id)):
            stage.film_requested_at = time.monotonic()
            with self.streams.watch(id):
                if await self._wait_for_start(stage):
                    data = stage.film.encode()
                    return await asyncio.to_thread(gzip.compress, data, 6)
        packed = await asyncio.to_thread(self._load_local_film, id)
        if packed is None:
            raise unknown_bout(id)
        return packed

    async def list_live_bouts(self) -> list[BoutSummary]:
        """The bouts under way, with those that begin to be filmed because somebody asks."""
        with self.streams.watch():
            await self.streams.wait_for_answers()
            return self.hub.list_bouts()

    async def find_live_bout(self, id: str) -> LiveBout | None:
        """The bout under way (or just over) of an id, even if it began this very moment."""
        if (found := self.hub.find(id)) is not None:
            return found
        if await asyncio.to_thread(self.journals.open_new, id):
            await self.streams.wait_for_answers()
        return self.hub.find(id)

    async def _wait_for_start(self, stage: LiveBout) -> bool:
        """Wait a little for the film of a bout, which may be just about to begin."""
        await self.streams.wait_for_answers()
        for _ in range(BOUT_START_POLLS):
            if stage.films or self.hub.find(stage.id) is not stage:
                break
            await asyncio.sleep(0.1)
        return bool(stage.films)

    def _is_stored_bout(self, id: str) -> bool:
        """A record of this machine may happen to be called like a film of the club."""
        return (
            played_bouts.is_stored_film_id(id)
            and self.hub.find(id) is None
            and not self.find_saved_name(id)
        )

    def _load_stored_film(self, id: str, viewer: Identity) -> bytes:
        """Of a bout of the club, if they may see it."""
        data, match = self._load_stored_record(id, viewer)
        key = (id, match and match.of)
        return self.library.film_cache.get_or_create(
            key, lambda: make_film(unpack(data, id), id, "record", match).encode()
        )

    def _load_stored_record(self, id: str, viewer: Identity) -> tuple[bytes, MatchPlace | None]:
        if not self.site.database.exists():
            raise unknown_bout(id)
        with self.site.database.reading() as session:
            return played_bouts.read_packed_record(
                session, id, viewer
            ), played_bouts.find_match_neighbours(session, id)

    def _load_local_film(self, id: str) -> bytes | None:
        if name := self.find_saved_name(id):
            return self.library.load_film(name)
        return self.uploads.load_film(id)

    def load_record(self, id: str, viewer: Identity = ANONYMOUS) -> Record:
        """The record behind an id, or a LudusError."""
        if self._is_stored_bout(id):
            return unpack(self._load_stored_record(id, viewer)[0], id)
        if (name := self.find_saved_name(id)) and (record := self.library.read_record(name)):
            return self._strip_private_traces(record)
        if opened := self.uploads.find(id):
            return opened.record
        raise unknown_bout(id)

    async def load_beginning(
        self, id: str, step: int, viewer: Identity = ANONYMOUS
    ) -> BoutBeginning:
        """The first steps of a film, to be played on from."""
        film = msgspec.json.decode(gzip.decompress(await self.load_film(id, viewer)), type=FilmData)
        if not film.can["continue"] or film.seed is None:
            raise LudusError("this bout cannot be played on", "这一局不能从中途继续")
        if step > len(film.steps):
            raise LudusError(
                f"the bout has {len(film.steps)} steps, there is no step {step}",
                f"这一局共 {len(film.steps)} 步，没有第 {step} 步",
            )
        plies = [each.moves for each in film.steps[:step]]
        return BoutBeginning(film.game["name"], film.options, film.seed, plies)

    async def load_position(self, id: str, step: int, viewer: Identity = ANONYMOUS) -> Position:
        """The position of a film after a step."""
        begun = await self.load_beginning(id, step, viewer)
        return await asyncio.to_thread(_replay_beginning, begun)


def _replay_beginning(begun: BoutBeginning) -> Position:
    game = get_listed(begun.game)
    position = game.start(game.Options.parse(begun.options), begun.seed)
    for ply in begun.opening:
        position.play(ply)
    return position


InjectedState = NamedDependency[ServerState]
"""The arena, as the application gives it to its handlers."""
InjectedIdentity = NamedDependency[Identity]
"""Whoever asks, given in the same way."""


class FilmDataStep(msgspec.Struct):
    """What is read of a film's step."""

    moves: dict[int, str]


class FilmData(msgspec.Struct):
    """What is read of a film to play on from it."""

    game: dict[str, Any]
    options: dict[str, Any]
    seed: int | None
    steps: list[FilmDataStep]
    can: dict[str, bool]


def unknown_bout(id: str) -> NotFound:
    return NotFound(f"there is no bout {id!r} here (any more)", f"这里没有（或不再有）对局 {id!r}")
