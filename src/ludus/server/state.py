"""The services of a running server, created and connected in one place."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from litestar.di import NamedDependency

from ludus.bots import temp_folders
from ludus.errors import LudusError
from ludus.games.base import Game, Position
from ludus.home import close_home, ludus_home
from ludus.lang import tr
from ludus.match import record_files
from ludus.match.note_files import save_notes
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
from ludus.server.contests.contest_tables import ContestViews
from ludus.server.contests.live_access import LiveAccessLookup
from ludus.server.live.demo import Demos
from ludus.server.live.film import make_film
from ludus.server.live.film_beginning import read_beginning
from ludus.server.live.film_schemas import BoutSummary, MatchPlace
from ludus.server.live.film_updates import LiveUpdate
from ludus.server.live.journals import JournalFollower, record_name
from ludus.server.live.live_bouts import LiveBout, LiveHub
from ludus.server.live.live_films import LiveFilms
from ludus.server.live.notifier import Notifier
from ludus.server.live.streams import LiveStreams
from ludus.server.mail.mail_settings import MailSettings
from ludus.server.matches import Matches
from ludus.server.records import bout_notes, played_bouts
from ludus.server.records.analysis_services import AnalysisServices
from ludus.server.records.bout_notes import FilmNotes
from ludus.server.records.library import RecordLibrary
from ludus.server.records.opened_files import OpenedFiles
from ludus.server.records.player_names import NamedPlayers, find_named_players
from ludus.server.rooms.room_plan import RoomBot
from ludus.server.rooms.rooms import Rooms, call_in_loop
from ludus.server.seminars.seminars import Seminars
from ludus.server.web.errors import Conflict, Forbidden, NotFound, login_required
from ludus.server.web.room_and_match_requests import BoutBeginning, replay_beginning
from ludus.server.web.traffic_limits import (
    DEFAULT_LIMITS,
    Traffic,
    TrafficCaller,
    TrafficLimits,
    identify_caller,
)

log = logging.getLogger(__name__)

BOUT_START_POLLS = 30
"""Tenths of a second to wait for a bout to begin when its film is requested."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How a server is started."""

    loopback: bool = True
    """Only programs of this machine can reach it."""
    demo: bool = True
    """Whether a demo match of each game is always on."""
    reader: tuple[str, ...] = ()
    """The command that reads uploaded record files; if it is empty, files cannot be opened."""
    extra_bots: tuple[tuple[str, str], ...] = ()
    """Bots besides the house's: pairs of a game and a bot's file."""
    host_names: tuple[str, ...] = ()
    """Host names, besides IP addresses, under which the server may be reached."""
    proxies: tuple[str, ...] = ()
    """Addresses and networks of proxies whose forwarded client addresses are trusted."""
    limits: TrafficLimits = DEFAULT_LIMITS
    """How much each caller may use of the server."""
    database: str = ""
    """Where accounts and contests are kept; by default a file in the server's home."""
    jobs: int = 0
    """How many bouts of ladders and contests are played at once; 0: none are played here."""
    cluster: Cluster | None = None
    """A cluster that plays them instead."""
    allow_plain: bool = False
    """Whether uploads are accepted even where the jail is weak."""
    mail: MailSettings | None = None
    """The mail server for notices by e-mail; None: there are no mails."""
    public_url: str = ""
    """Where people open the page, for links that are given out; empty: where the page that makes
    them was opened."""
    log: str = ""
    """A file to which every request is written as a line of JSON; ``-`` is stderr."""

    @property
    def trusted_proxies(self) -> tuple[str, ...]:
        """The configured proxies; if there are none and the server has a host name, this machine's
        own."""
        return self.proxies or (("127.0.0.1", "::1") if self.host_names else ())


class ServerState:
    """The services behind the page and the API: records, bouts under way, rooms, uploads."""

    def __init__(self, settings: ServerSettings | None = None, folder: Path | None = None) -> None:
        self.settings = settings or ServerSettings()
        self.folder = folder or ludus_home()
        self.bot_catalogue = BotCatalogue(self.settings.extra_bots)
        self.library = RecordLibrary(self.folder / "records")
        self.hub = LiveHub()
        self.traffic = Traffic(self.settings.limits)
        self.rooms = Rooms(
            self.hub,
            self.save,
            self.settings.limits,
            lambda name, game: self.bot_catalogue.find(name, game),
        )
        self.matches = Matches(self.hub, self.save, self.settings.limits)
        self.demos = Demos(self.hub, self.save)
        self.uploads = OpenedFiles(self.settings.reader)
        self.seminars = Seminars()
        self.analysis = AnalysisServices(self.folder)
        self.site = SiteContext(self.folder, self.settings.database, limits=self.settings.limits)
        self.site.sends_mail = self.settings.mail is not None
        self.site.public_url = self.settings.public_url
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
                "mail": msgspec.to_builtins(self.settings.mail),
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
        self._post: Callable[..., None] = lambda *_: None
        """Calls a function in the event loop, from any thread; does nothing before there is one."""

    # Accounts and the background process

    def start_background(self) -> None:
        """Start the background process, which is needed as soon as there is an account."""
        if self.settings.jobs or self.settings.cluster:
            self.background.start()

    def _close_home(self) -> None:
        """Close the home to other users of this machine, and log what was open to them."""
        database = Path(self.site.database.address)
        files = [Path(f"{database}{suffix}") for suffix in ("", "-wal", "-shm")]
        with contextlib.suppress(OSError):  # the home is read-only
            closed = close_home(self.folder, *files)
            for path in closed:
                if self.folder in path.parents and self.folder not in closed:
                    continue  # the closed home kept others out already
                log.warning(tr("closed %s to other users", "已禁止其他用户访问 %s"), path)

    def _open_site(self) -> None:
        self._close_home()
        if self.site.has_no_accounts():
            _ = self.site.first_account.code  # creates the file with the code
            return
        self.site.first_account.delete_code()
        if not self.settings.allow_plain:
            with self.site.database.writing() as session:
                site_settings.remove_plain_jail(session)
        self.start_background()

    def notify_contest_changed(self, contest_id: int) -> None:
        """Notify everybody who watches a contest's page. May be called from any thread."""
        self._handle_background_message({"type": "contest", "id": contest_id})

    def _handle_background_message(self, message: Mapping[str, Any]) -> None:
        """Pass a message of the background process on to the notifier. Runs in the supervisor's
        thread."""
        mark = {
            "contest": self.notifier.mark_contest_changed,
            "version": self.notifier.mark_version_changed,
        }.get(message["type"])
        if mark is not None:
            self._post(mark, message["id"])

    def _receive_local_update(self, update: LiveUpdate) -> None:
        self._post(self.streams.receive, self.live_films, update)

    def _receive_background_update(self, update: LiveUpdate | SourceState) -> None:
        match update:
            case SourceState.STARTED:
                self._post(self.streams.repeat_watches, self.background)
            case SourceState.ENDED:
                self._post(self.streams.forget_source, self.background)
            case _:
                self._post(self.streams.receive, self.background, update)

    def refresh_live_access(self) -> None:
        """Apply a change of who may see a contest's live bouts, or how late."""
        self.live_access.forget()
        self.live_films.refresh_access()
        self.background.wake()

    def refuse_guests(self, identity: Identity) -> None:
        """Raise ``login_required`` for guests where the site's settings let only accounts play."""
        if (
            not identity.is_logged_in
            and self.site.database.exists()
            and not self.site.settings.guests
        ):
            raise login_required()

    def identify_caller(self, identity: Identity, address: str) -> TrafficCaller:
        """The caller under whom a request is counted. As long as there are no accounts, people at
        this machine have the limits of the staff."""
        return identify_caller(identity, address, own_machine=self.is_single_user)

    @property
    def is_single_user(self) -> bool:
        """Whether only this machine reaches the server, and nobody has an account yet."""
        return self.settings.loopback and not self.site.database.exists()

    def _strip_private_traces(self, record: Record) -> Record:
        """A record without the bots' error output, unless the server has a single user."""
        return record if self.is_single_user else remove_traces(record)

    def find_bot(self, identity: Identity, word: str | int, game: Game) -> RoomBot:
        """A bot for a room: a house bot, one the server was started with, or an uploaded one."""
        if isinstance(word, str) and not word.isdecimal():
            return RoomBot(self.bot_catalogue.find(word, game))
        identity.require_login()
        with self.site.database.reading() as session:
            found = entrants.resolve_bot(session, identity, word, game)
            assert found.bot is not None and found.version is not None
            name, version_id = f"{found.bot.name} #{found.version.number}", found.version.id
            bot_id = found.bot.id
        self.refuse_uploads()
        return RoomBot(self.version_files.source(version_id, name, game), bot_id)

    def mark_guest_name(self, identity: Identity, name: str) -> str:
        """A name typed for a seat, marked as a guest's if it can be mistaken for an account of
        another person: it is also shown beside chat messages."""
        if not name or not self.site.database.exists():
            return name
        with self.site.database.reading() as session:
            taken = users.is_confusable_name(session, name, identity.id)
        taken |= not identity.staff and names.claims_staff_role(name)
        return f"{name} {tr('(guest)', '（访客）')}" if taken else name

    def find_named_players(self, word: str) -> NamedPlayers:
        """The players that a word of a search means in saved records."""
        if not self.site.database.exists():
            return find_named_players(None, word)
        with self.site.database.reading() as session:
            return find_named_players(session, word)

    def refuse_uploads(self) -> None:
        """Raise ``Forbidden`` where the jail is too weak to run strangers' programs."""
        wanted = JailLevel(self.site.settings.jail or JailLevel.USERNS)
        if self.settings.allow_plain and wanted is not JailLevel.STRONG:
            return
        if self._levels is None:
            self._levels = list_levels()
        order = list(JailLevel)
        if order.index(self._levels[0]) > order.index(wanted):
            raise Forbidden(
                "this server cannot isolate programs well enough, so it takes no uploads"
                f" (sandbox level: {self._levels[0]!s}); its operator can change that",
                "本服务器无法可靠地隔离程序，因此不接受上传"
                f"（沙箱级别：{self._levels[0]!s}）；请联系服务器管理员",
            )

    @contextlib.asynccontextmanager
    async def run_services(self) -> AsyncIterator[None]:
        """Run all periodic tasks and threads of the server while the context is open."""
        self._post = partial(call_in_loop, asyncio.get_running_loop())
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
            await self.analysis.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.to_thread(self._close)

    def _close(self) -> None:
        """Close the services and wait for their threads; they still need the running event loop."""
        films = (self.journals, self.live_films)
        for service in (self.demos, self.rooms, self.matches, *films, self.background, self.site):
            service.close()

    def save(
        self,
        record: Record,
        name: str | None = None,
        notes: Sequence[str] = (),
        bots: Sequence[int | None] = (),
    ) -> str | None:
        """Save a record; gives its id, or None if it cannot be written.

        ``notes`` are those of each seat, packed, and ``bots`` the ids of uploaded bots. Unless the
        server has a single user, who owns all bots, only notes of uploaded bots are saved: nobody
        could read the others.
        """
        name = name or record_files.make_stem(record.game, [bot.name for bot in record.bots])
        with contextlib.suppress(LudusError):
            saved = self._strip_private_traces(record)
            path = record_files.save_under_new_name(self.library.folder, name, SUFFIX, pack(saved))
            if self.is_single_user:
                save_notes(saved, path, notes)
            elif any(bots):
                own = [said if bot else "" for said, bot in zip(notes, bots, strict=True)]
                save_notes(saved, path, own, bots)
            return path.name.removesuffix(SUFFIX)
        return None

    def find_saved_name(self, id: str) -> str | None:
        """The name under which the record of a bout was saved, or None; journals are found by their
        id, too, and bouts that were just played."""
        live_bout = self.hub.find(id)
        saved = live_bout.saved_as if live_bout is not None else None
        return self._find_record_of(id) or (saved and self._find_record_of(saved)) or None

    def _find_record_of(self, id: str) -> str | None:
        return next((n for n in (id, record_name(id)) if self.library.find_path(n)), None)

    async def load_seat_film(self, id: str, seat: int, identity: Identity = ANONYMOUS) -> bytes:
        """The gzipped film of a finished bout as one seat saw it."""
        record = await asyncio.to_thread(self.load_record, id, identity)
        if seat >= len(record.bots):
            raise unknown_bout(id)
        film = await asyncio.to_thread(make_film, record, id, seat=seat)
        return await asyncio.to_thread(gzip.compress, film.encode(), 6)

    async def load_film(self, id: str, identity: Identity = ANONYMOUS) -> bytes:
        """The gzipped film of a bout: saved, under way or just over."""
        if seminar := self.seminars.find_film(id):
            return seminar.film
        if self._is_stored_bout(id):
            return await asyncio.to_thread(self._load_stored_film, id, identity)
        live_bout = await self.find_live_bout(id)
        if live_bout is not None:
            contest_id = live_bout.info.contest_id
            await asyncio.to_thread(self.live_access.require_visible, contest_id, identity)
        if live_bout is not None and (live_bout.ended_at is None or not self._find_record_of(id)):
            live_bout.film_requested_at = time.monotonic()
            with self.streams.watch(id):
                if await self._wait_for_start(live_bout):
                    data = live_bout.film.encode()
                    return await asyncio.to_thread(gzip.compress, data, 6)
            if self.hub.find(id) is live_bout and live_bout.ended_at is None:
                raise Conflict("the bout has not begun yet", "这一局还没有开始")
        packed = await asyncio.to_thread(self._load_local_film, id)
        if packed is None:
            raise unknown_bout(id)
        return packed

    async def list_live_bouts(self) -> list[BoutSummary]:
        """The bouts under way, including those whose filming starts because of this request."""
        with self.streams.watch():
            await self.streams.wait_for_answers()
            return self.hub.list_bouts()

    async def find_live_bout(self, id: str) -> LiveBout | None:
        """The bout under way (or just over) with an id, even if it began a moment ago."""
        if (found := self.hub.find(id) or self.demos.find_shared(id)) is not None:
            return found
        if await asyncio.to_thread(self.journals.open_new, id):
            await self.streams.wait_for_answers()
        return self.hub.find(id)

    async def _wait_for_start(self, live_bout: LiveBout) -> bool:
        """Wait up to ``BOUT_START_POLLS`` tenths of a second until the bout has a film."""
        await self.streams.wait_for_answers()
        for _ in range(BOUT_START_POLLS):
            if live_bout.films or self.hub.find(live_bout.id) is not live_bout:
                break
            await asyncio.sleep(0.1)
        return bool(live_bout.films)

    def _is_stored_bout(self, id: str) -> bool:
        """Whether an id is that of a bout in the database. A local record may have a name of the
        same form, and then counts as the local record."""
        return (
            played_bouts.is_stored_film_id(id)
            and self.hub.find(id) is None
            and not self.find_saved_name(id)
        )

    def _load_stored_film(self, id: str, identity: Identity) -> bytes:
        """The gzipped film of a bout in the database; raises NotFound if ``identity`` may not see
        it."""
        data, match = self._load_stored_record(id, identity)
        key = (id, match and match.of)
        return self.library.film_cache.get_or_create(
            key, lambda: make_film(unpack(data, id), id, "record", match).encode()
        )

    def _load_stored_record(self, id: str, identity: Identity) -> tuple[bytes, MatchPlace | None]:
        if not self.site.database.exists():
            raise unknown_bout(id)
        with self.site.database.reading() as session:
            return played_bouts.read_packed_record(
                session, id, identity
            ), played_bouts.find_match_neighbours(session, id)

    def _load_local_film(self, id: str) -> bytes | None:
        if name := self.find_saved_name(id):
            return self.library.load_film(name)
        return self.uploads.load_film(id)

    def load_record(self, id: str, identity: Identity = ANONYMOUS) -> Record:
        """The record of a bout; raises NotFound if there is none that ``identity`` may see."""
        if seminar := self.seminars.find_film(id):
            return seminar.record
        if self._is_stored_bout(id):
            return unpack(self._load_stored_record(id, identity)[0], id)
        if (name := self.find_saved_name(id)) and (record := self.library.read_record(name)):
            return self._strip_private_traces(record)
        if opened := self.uploads.find(id):
            return opened.record
        raise unknown_bout(id)

    def load_notes(self, id: str, identity: Identity = ANONYMOUS) -> FilmNotes:
        """The notes of bots in a bout, as far as ``identity`` may see them: those of one's own
        bots and of bots whose owners show them; where the server has a single user, all."""
        if self._is_stored_bout(id):
            if not self.site.database.exists():
                raise unknown_bout(id)
            with self.site.database.reading() as session:
                return bout_notes.read_stored_notes(session, id, identity)
        if name := self.find_saved_name(id):
            database = None if self.is_single_user else self.site.database
            return bout_notes.read_saved_notes(self.library.read_notes(name), database, identity)
        if self.uploads.find(id) or self.hub.find(id) or self.seminars.find_film(id):
            return FilmNotes({})
        raise unknown_bout(id)

    async def load_beginning(
        self, id: str, step: int, identity: Identity = ANONYMOUS
    ) -> BoutBeginning:
        """The first ``step`` moves of a film, from which a new bout can be played on."""
        packed = await self.load_film(id, identity)
        return read_beginning(gzip.decompress(packed), step)

    async def load_position(self, id: str, step: int, identity: Identity = ANONYMOUS) -> Position:
        """The position of a film after ``step`` steps."""
        begun = await self.load_beginning(id, step, identity)
        return await asyncio.to_thread(replay_beginning, begun)


InjectedState = NamedDependency[ServerState]
"""The server's services, as handlers get them."""
InjectedIdentity = NamedDependency[Identity]
"""Who sends the request, as handlers get it."""


def unknown_bout(id: str) -> NotFound:
    return NotFound(f"there is no bout {id!r} here (any more)", f"这里没有（或不再有）对局 {id!r}")
