"""Bots, their versions and their bouts."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

import msgspec
from litestar import Response, delete, get, patch, post
from litestar.params import FromPath, FromQuery, JSONBody

from ludus.errors import LudusError
from ludus.scheduling.schema import BotRow, VersionFilesRow
from ludus.server import playable_games
from ludus.server.accounts.auth import AnyRequest, InjectedIdentity
from ludus.server.accounts.identity import UPLOAD, Identity
from ludus.server.bots import bots, starter_kits, upload
from ludus.server.bots.bot_schemas import (
    BotInfo,
    BotPage,
    FreeName,
    StarterKits,
    VersionInfo,
    VersionProgress,
)
from ludus.server.bots.upload_limits import MAX_UPLOAD_BODY_BYTES
from ludus.server.contests import challenges
from ludus.server.records import matchups, played_bouts
from ludus.server.records.bout_filters import (
    BoutFilters,
    Number,
    ResultFilter,
    Word,
    check_fault,
    parse_moment,
)
from ludus.server.records.bout_schemas import BoutInfo, FoundBouts, MatchupInfo
from ludus.server.records.bout_search import search_bouts
from ludus.server.services import InjectedBackground, InjectedDatabase, InjectedHub
from ludus.server.state import InjectedState, ServerState, unknown_bout
from ludus.server.vocabulary import MADE_WITH_NAMES, MadeWith
from ludus.server.web.forms import Form, read_fields_and_files
from ludus.server.web.page_query import Before, Limit
from ludus.server.web.public_routes import make_download
from ludus.server.web.responses import Done

CHECKED_WORDS = ("1", "true", "on")


class BotChange(msgspec.Struct, forbid_unknown_fields=True):
    """Changes of a bot by its owner."""

    name: Annotated[str, msgspec.Meta(max_length=100)] | None = None
    about: Annotated[str, msgspec.Meta(max_length=10_000)] | None = None
    current: int | msgspec.UnsetType | None = msgspec.UNSET
    """The version that plays on the ladder; null: none."""
    public_notes: bool | None = None
    """Whether everyone may read what it says about its moves."""
    private: bool | None = None
    """Whether only its owners and admins know of it (the staff's bots)."""


@get("/bots", sync_to_thread=True)
def list_bots(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    game: FromQuery[str | None] = None,
    owner: FromQuery[str | None] = None,
    mine: FromQuery[bool] = False,
    before: Before = None,
    limit: Limit = 50,
) -> BotPage:
    """Everybody's bots, newest first; of other people's, only the version on the ladder is
    shown."""
    if mine:
        identity.require_login()
    with database.reading() as session:
        return bots.list_bots(session, identity, game, owner, mine, before, limit)


@post(
    "/bots",
    request_max_body_size=MAX_UPLOAD_BODY_BYTES,
    status_code=201,
    scope=UPLOAD,
    form=Form(
        required=("game", "name"),
        optional=("about", "team", "remark", "enter", "made_with", "private"),
    ),
)
async def create_bot(
    request: AnyRequest, server_state: InjectedState, identity: InjectedIdentity
) -> BotInfo:
    """Create a bot with its first version: a form with ``game``, ``name``, ``files`` and optionally
    ``about``, ``team``, ``remark``, ``enter`` (play on the ladder once its check has passed),
    ``made_with`` (``alone``, ``team`` or ``model``) and, for the staff, ``private`` (only its
    owners and admins know of it)."""
    fields, files = await _read_upload(request, server_state, identity)

    def write() -> BotInfo:
        house = server_state.site.settings
        with server_state.site.database.writing() as session:
            bot = bots.create_bot(
                session,
                identity,
                house,
                game=playable_games.get_playable_game(fields.get("game", "")).name,
                name=fields.get("name", ""),
                about=fields.get("about", ""),
                team=_parse_number(fields.get("team")),
                private=fields.get("private", "") in CHECKED_WORDS,
            )
            _add(server_state, identity, bot, files, fields, session)
            return bots.describe_bots(session, [bot], identity)[0]

    created = await asyncio.to_thread(write)
    server_state.background.wake()
    return created


@post(
    "/bots/{id:int}/versions",
    request_max_body_size=MAX_UPLOAD_BODY_BYTES,
    status_code=201,
    scope=UPLOAD,
    form=Form(optional=("remark", "enter", "made_with")),
)
async def add_version(
    request: AnyRequest, server_state: InjectedState, identity: InjectedIdentity, id: FromPath[int]
) -> VersionInfo:
    """Add a version, as a form or as JSON ``{files: {path: text}, remark, enter, made_with}``."""
    fields, files = await _read_upload(request, server_state, identity)

    def write() -> VersionInfo:
        with server_state.site.database.writing() as session:
            bot = bots.get_owned_bot(session, id, identity)
            version = _add(server_state, identity, bot, files, fields, session)
            return bots.describe_version(version, bot, mine=True)

    created = await asyncio.to_thread(write)
    server_state.background.wake()
    return created


async def _read_upload(
    request: AnyRequest, server_state: ServerState, identity: Identity
) -> tuple[dict[str, str], upload.Bundle]:
    identity.require_login()
    await asyncio.to_thread(server_state.refuse_uploads)
    fields, sent = await read_fields_and_files(request)
    most = server_state.site.settings.upload_kilobytes << 10
    return fields, await asyncio.to_thread(upload.receive_upload, sent, most)


def _add(
    server_state: ServerState,
    identity: Identity,
    bot: BotRow,
    files: upload.Bundle,
    fields: dict[str, str],
    session: Any,
) -> Any:
    return bots.add_version(
        session,
        identity,
        server_state.site.settings,
        bot,
        files,
        remark=fields.get("remark", ""),
        wish=fields.get("enter", "") in CHECKED_WORDS,
        made_with=_parse_made_with(fields.get("made_with", "")),
    )


def _parse_made_with(word: str) -> MadeWith:
    try:
        made_with: MadeWith = msgspec.convert(word, MadeWith)
        return made_with
    except msgspec.ValidationError:
        raise LudusError(
            f"made_with: expected one of {', '.join(filter(None, MADE_WITH_NAMES))}, got {word!r}",
            f"made_with 应为 {'、'.join(filter(None, MADE_WITH_NAMES))} 之一，得到 {word!r}",
        ) from None


def _parse_number(word: str | None) -> int | None:
    if not word:
        return None
    if not word.isdecimal() or len(word) > 15:
        raise LudusError("expected a number", "不是数字")
    return int(word)


@get("/bots/free-name", sync_to_thread=True)
def find_free_name(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    game: FromQuery[str] = "reversi",
    name: FromQuery[str] = "bot",
) -> FreeName:
    """The name if no bot of the game has it, otherwise one like it that is free."""
    identity.require_login()
    played = playable_games.get_playable_game(game)
    with database.reading() as session:
        return FreeName(bots.find_free_name(session, played, name))


@get("/bots/{id:int}", sync_to_thread=True)
def get_bot(database: InjectedDatabase, identity: InjectedIdentity, id: FromPath[int]) -> BotInfo:
    """A bot; its owner also gets all its versions."""
    with database.reading() as session:
        bot = bots.get_visible_bot(session, id, identity)
        return bots.describe_bots(session, [bot], identity)[0]


@patch("/bots/{id:int}", sync_to_thread=True, scope=UPLOAD)
def change_bot(
    database: InjectedDatabase,
    background: InjectedBackground,
    identity: InjectedIdentity,
    id: FromPath[int],
    data: JSONBody[BotChange],
) -> BotInfo:
    """Rename or describe a bot, choose its version for the ladder, or show its notes to all."""
    with database.writing() as session:
        bot = bots.get_owned_bot(session, id, identity)
        bots.change_bot(
            session,
            identity,
            bot,
            name=data.name,
            about=data.about,
            public_notes=data.public_notes,
            private=data.private,
        )
        if data.current is not msgspec.UNSET:
            bots.set_ladder_version(session, identity, bot, data.current)
        changed = bots.describe_bots(session, [bot], identity)[0]
    background.wake()
    return changed


@delete("/bots/{id:int}", sync_to_thread=True, status_code=200, scope=UPLOAD)
def retire_bot(
    database: InjectedDatabase,
    background: InjectedBackground,
    identity: InjectedIdentity,
    id: FromPath[int],
) -> Done:
    """Retire a bot: it plays no more, its results stay."""
    with database.writing() as session:
        bots.retire_bot(session, identity, bots.get_owned_bot(session, id, identity))
        challenges.stop_challenges_of_bot(session, identity, id)
    background.wake()
    return Done()


class VersionChange(msgspec.Struct, forbid_unknown_fields=True):
    """What the owner of a version may say about it later."""

    made_with: MadeWith


@patch("/versions/{id:int}", sync_to_thread=True, scope=UPLOAD)
def change_version(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    id: FromPath[int],
    data: JSONBody[VersionChange],
) -> VersionInfo:
    """Say how a version of yours was made."""
    with database.writing() as session:
        version = bots.get_owned_version(session, id, identity)
        version.made_with = data.made_with
        return bots.describe_version(version, bots.get_bot(session, version.bot_id), mine=True)


@get("/versions/{id:int}", sync_to_thread=True)
def get_version(
    database: InjectedDatabase, identity: InjectedIdentity, id: FromPath[int]
) -> VersionInfo:
    """A version; its owner also gets the result of its check."""
    with database.reading() as session:
        found = bots.get_visible_version(session, id, identity)
        bot = bots.get_bot(session, found.bot_id)
        mine = bots.owns(bot, identity)
        if not mine and bot.ladder_version_id != found.id:
            bots.get_owned_bot(session, bot.id, identity)
        return bots.describe_version(found, bot, mine=mine)


@get("/versions/{id:int}/progress", sync_to_thread=True)
def get_check_progress(
    database: InjectedDatabase,
    background: InjectedBackground,
    identity: InjectedIdentity,
    id: FromPath[int],
) -> VersionProgress | None:
    """How far the check of a version of yours is; null while it waits for its turn, and once it
    is over."""
    with database.reading() as session:
        bots.get_owned_version(session, id, identity)
    if (found := background.find_check(id)) is None:
        return None
    elapsed, progress = found
    return msgspec.convert({**progress, "elapsed_s": elapsed}, VersionProgress)


@get("/versions/{id:int}/files", sync_to_thread=True)
def get_files(
    database: InjectedDatabase, identity: InjectedIdentity, id: FromPath[int]
) -> dict[str, str | None]:
    """The files of a version of yours; null for files that are not text."""
    with database.reading() as session:
        found = bots.get_owned_version(session, id, identity)
        return upload.decode_texts(bots.read_files(session, found))


@get("/versions/{id:int}/zip", sync_to_thread=True)
def download_zip(
    database: InjectedDatabase, identity: InjectedIdentity, id: FromPath[int]
) -> Response[bytes]:
    """The files of a version of yours as a zip."""
    with database.reading() as session:
        found = bots.get_owned_version(session, id, identity)
        name = f"{bots.get_bot(session, found.bot_id).name}-{found.number}.zip"
        data = session.get_one(VersionFilesRow, found.id).data
    return make_download(data, name, "application/zip")


@get("/bots/{id:int}/bouts", sync_to_thread=True)
def list_bot_bouts(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    id: FromPath[int],
    opponent: Word = "",
    version: Number = None,
    seat: Number = None,
    result: FromQuery[ResultFilter | None] = None,
    fault: Word = "",
    before: Before = None,
    limit: Limit = 50,
) -> FoundBouts:
    """The bouts of a bot, newest first; for the filters see ``GET /api/bouts``."""
    filters = BoutFilters(
        opponent=opponent,
        version=version,
        seat=seat,
        result=result or "",
        fault=check_fault(fault),
    )
    with database.reading() as session:
        bot = bots.get_visible_bot(session, id, identity)
        return search_bouts(session, identity, filters, before, limit, bot_ids=[bot.id])


@get("/bots/{id:int}/against/{rival:str}", sync_to_thread=True)
def get_matchup(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    id: FromPath[int],
    rival: FromPath[str],
) -> MatchupInfo:
    """A bot head to head with another (its id) or with a house bot (its name)."""
    with database.reading() as session:
        return matchups.describe_matchup(session, identity, id, rival)


@get("/bouts", sync_to_thread=True)
def find_bouts(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    player: Word = "",
    opponent: Word = "",
    version: Number = None,
    seat: Number = None,
    result: FromQuery[ResultFilter | None] = None,
    fault: Word = "",
    game: Word = "",
    kind: Word = "",
    contest: Number = None,
    title: Word = "",
    since: Word = "",
    until: Word = "",
    before: Before = None,
    limit: Limit = 50,
) -> FoundBouts:
    """Search all bouts of this server, newest first.

    ``player`` and ``opponent`` are beginnings of names of bots or of their owners; ``@ali`` means
    owners only, ``zealot #3`` a version, ``"zealot"`` exactly this name. ``result``, ``fault`` (a
    kind, or ``any``), ``version`` and ``seat`` are the player's. ``title`` is the beginning of a
    word of a contest's title, ``since`` and ``until`` are dates or times.
    """
    filters = BoutFilters(
        player=player,
        opponent=opponent,
        version=version,
        seat=seat,
        result=result or "",
        fault=check_fault(fault),
        game=game,
        kind=kind,
        contest=contest,
        title=title,
        since=parse_moment(since),
        until=parse_moment(until),
    )
    if not database.exists():
        return FoundBouts([], None, 0)
    with database.reading() as session:
        return search_bouts(session, identity, filters, before, limit)


@get("/bouts/{id:int}", sync_to_thread=True)
def get_bout(database: InjectedDatabase, identity: InjectedIdentity, id: FromPath[int]) -> BoutInfo:
    """A bout; ``output`` holds the output of your own bots by seat."""
    with database.reading() as session:
        return played_bouts.describe_bout_in_detail(session, id, identity)


@get("/live/{id:str}/bout", sync_to_thread=True)
def find_stored_bout(
    database: InjectedDatabase, hub: InjectedHub, identity: InjectedIdentity, id: FromPath[str]
) -> BoutInfo:
    """The stored bout that a live bout has become; 404 until it is stored."""
    live_bout = hub.find(id)
    if live_bout is None or live_bout.info.contest_id is None:
        raise unknown_bout(id)
    with database.reading() as session:
        return played_bouts.find_stored_bout(session, live_bout.info, identity)


@get("/kits/{game:str}", sync_to_thread=True)
def list_starter_kits(
    game: FromPath[str], language: FromQuery[Literal["en", "zh"] | None] = None
) -> StarterKits:
    """Starter files for a new bot, by programming language; with comments in a language, by default
    the server's."""
    return starter_kits.list_kits(playable_games.get_playable_game(game), language or "")


@get("/kits/{game:str}/folder", sync_to_thread=True)
def download_starter_folder(
    game: FromPath[str],
    name: FromQuery[str],
    dialect: FromQuery[str],
    language: FromQuery[Literal["en", "zh"] | None] = None,
) -> Response[bytes]:
    """A new bot as a folder in a zip, with a test, a README and settings for VS Code. ``name`` and
    ``dialect`` are those of a starter kit of the game."""
    rules = playable_games.get_playable_game(game)
    data = starter_kits.pack_folder(rules, name, dialect, language or "")
    return make_download(data, f"{starter_kits.folder_name(rules)}.zip", "application/zip")


HANDLERS = [
    list_bots,
    create_bot,
    add_version,
    get_bot,
    change_bot,
    retire_bot,
    get_version,
    change_version,
    find_free_name,
    get_check_progress,
    get_files,
    download_zip,
    list_bot_bouts,
    get_matchup,
    find_bouts,
    get_bout,
    find_stored_bout,
    list_starter_kits,
    download_starter_folder,
]
