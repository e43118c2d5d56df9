"""Bots, their versions and their bouts."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import msgspec
from litestar import Response, delete, get, patch, post
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from ludus.errors import LudusError
from ludus.server.accounts import quotas, users
from ludus.server.accounts.auth import AnyRequest, Asker
from ludus.server.accounts.identity import UPLOAD, Viewer
from ludus.server.bots import bots, bundle, starter_kits
from ludus.server.contests import challenges, events
from ludus.server.paging import MOST
from ludus.server.records import played_bouts
from ludus.server.state import Arena, Served, unknown
from ludus.server.tables import BotRow, CodeRow
from ludus.server.web.forms import sent_files
from ludus.server.web.public_routes import download

BODY = 64 << 20
"""Bytes of an upload before the club's own limit is looked at."""
Before = Annotated[int | None, QueryParameter(ge=0, le=1 << 53)]
Limit = Annotated[int, QueryParameter(ge=1, le=MOST)]


class BotChange(msgspec.Struct, forbid_unknown_fields=True):
    """What an owner changes."""

    name: Annotated[str, msgspec.Meta(max_length=100)] | None = None
    about: Annotated[str, msgspec.Meta(max_length=10_000)] | None = None
    current: int | msgspec.UnsetType | None = msgspec.UNSET
    """The version that plays on the ladder; null: none."""


@get("/bots", sync_to_thread=True)
def list_bots(
    arena: Served,
    asker: Asker,
    game: FromQuery[str | None] = None,
    owner: FromQuery[str | None] = None,
    mine: FromQuery[bool] = False,
    before: Before = None,
    limit: Limit = 50,
) -> dict[str, Any]:
    """Everybody's bots, newest first; of others only the version on the ladder is shown."""
    if mine:
        asker.must_be_known()
    with arena.club.database.reading() as session:
        return bots.list_bots(session, asker, game, owner, mine, before, limit)


@post("/bots", request_max_body_size=BODY, status_code=201, scope=UPLOAD)
async def make(request: AnyRequest, arena: Served, asker: Asker) -> dict[str, Any]:
    """A new bot with its first version: a form with ``game``, ``name``, ``files`` and perhaps
    ``about``, ``team``, ``remark`` and ``enter`` (play on the ladder once it is found good)."""
    fields, files = await _upload(request, arena, asker)

    def write() -> dict[str, Any]:
        house = arena.club.rules
        with arena.club.database.writing() as session:
            bot = bots.make(
                session,
                asker,
                house,
                game=events.playable(fields.get("game", "")).name,
                name=fields.get("name", ""),
                about=fields.get("about", ""),
                team=_number(fields.get("team")),
            )
            _add(arena, asker, bot, files, fields, session)
            return bots.as_json(session, bot, asker)

    told = await asyncio.to_thread(write)
    arena.ring()
    return told


@post("/bots/{id:int}/versions", request_max_body_size=BODY, status_code=201, scope=UPLOAD)
async def add_version(
    request: AnyRequest, arena: Served, asker: Asker, id: FromPath[int]
) -> dict[str, Any]:
    """A new version, as a form or as JSON ``{files: {path: text}, remark, enter}``."""
    fields, files = await _upload(request, arena, asker)

    def write() -> dict[str, Any]:
        with arena.club.database.writing() as session:
            bot = bots.owned(session, id, asker)
            version = _add(arena, asker, bot, files, fields, session)
            return bots.version_json(version, bot, mine=True)

    told = await asyncio.to_thread(write)
    arena.ring()
    return told


async def _upload(
    request: AnyRequest, arena: Arena, asker: Viewer
) -> tuple[dict[str, str], bundle.Parcel]:
    asker.must_be_known()
    await asyncio.to_thread(arena.refuse_uploads)
    fields, sent = await sent_files(request)
    most = arena.club.rules.upload_kilobytes << 10
    return fields, await asyncio.to_thread(bundle.receive, sent, most)


def _add(
    arena: Arena,
    asker: Viewer,
    bot: BotRow,
    files: bundle.Parcel,
    fields: dict[str, str],
    session: Any,
) -> Any:
    return bots.add_version(
        session,
        asker,
        arena.club.rules,
        bot,
        files,
        remark=fields.get("remark", ""),
        wish=fields.get("enter", "") in ("1", "true", "on"),
    )


def _number(word: str | None) -> int | None:
    if not word:
        return None
    if not word.isdecimal() or len(word) > 15:
        raise LudusError("expected a number", "不是数字")
    return int(word)


@get("/bots/{id:int}", sync_to_thread=True)
def one(arena: Served, asker: Asker, id: FromPath[int]) -> dict[str, Any]:
    """A bot; for its owner with all its versions."""
    with arena.club.database.reading() as session:
        return bots.as_json(session, bots.bot_of(session, id), asker)


@patch("/bots/{id:int}", sync_to_thread=True, scope=UPLOAD)
def change(
    arena: Served, asker: Asker, id: FromPath[int], data: JSONBody[BotChange]
) -> dict[str, Any]:
    """Rename it, describe it, put a version forward for the ladder."""
    with arena.club.database.writing() as session:
        bot = bots.owned(session, id, asker)
        bots.change(session, asker, bot, name=data.name, about=data.about)
        if data.current is not msgspec.UNSET:
            bots.put_forward(session, asker, bot, data.current)
        told = bots.as_json(session, bot, asker)
    arena.ring()
    return told


@delete("/bots/{id:int}", sync_to_thread=True, status_code=200, scope=UPLOAD)
def retire(arena: Served, asker: Asker, id: FromPath[int]) -> dict[str, Any]:
    """It plays no more; its results stay."""
    with arena.club.database.writing() as session:
        bots.retire(session, asker, bots.owned(session, id, asker))
        challenges.stop_with_bot(session, asker, id)
    arena.ring()
    return {"ok": True}


@get("/versions/{id:int}", sync_to_thread=True)
def version(arena: Served, asker: Asker, id: FromPath[int]) -> dict[str, Any]:
    """A version; for its owner with what the check found."""
    with arena.club.database.reading() as session:
        found = bots.version_of(session, id)
        bot = bots.bot_of(session, found.bot_id)
        mine = bots.owns(bot, asker)
        if not mine and bot.current_id != found.id:
            bots.owned(session, bot.id, asker)
        return bots.version_json(found, bot, mine=mine)


@get("/versions/{id:int}/files", sync_to_thread=True)
def files(arena: Served, asker: Asker, id: FromPath[int]) -> dict[str, str | None]:
    """The files of a version of yours; null for what is no text."""
    with arena.club.database.reading() as session:
        found = bots.owned_version(session, id, asker)
        return bundle.texts(bots.files_of(session, found))


@get("/versions/{id:int}/zip", sync_to_thread=True)
def zipped(arena: Served, asker: Asker, id: FromPath[int]) -> Response[bytes]:
    """The files of a version of yours as a zip."""
    with arena.club.database.reading() as session:
        found = bots.owned_version(session, id, asker)
        name = f"{bots.bot_of(session, found.bot_id).name}-{found.number}.zip"
        data = session.get_one(CodeRow, found.id).data
    return download(data, name, "application/zip")


@get("/bots/{id:int}/bouts", sync_to_thread=True)
def bot_bouts(
    arena: Served, asker: Asker, id: FromPath[int], before: Before = None, limit: Limit = 50
) -> dict[str, Any]:
    """What a bot has played, newest first."""
    with arena.club.database.reading() as session:
        bot = bots.bot_of(session, id)
        return played_bouts.of_bots(session, [bot.id], asker, before, limit)


@get("/bouts/{id:int}", sync_to_thread=True)
def bout(arena: Served, asker: Asker, id: FromPath[int]) -> dict[str, Any]:
    """A bout; ``output`` holds what your own bots printed in it, by seat."""
    with arena.club.database.reading() as session:
        return played_bouts.one(session, id, asker)


@get("/live/{id:str}/bout", sync_to_thread=True)
def became(arena: Served, asker: Asker, id: FromPath[str]) -> dict[str, Any]:
    """What a bout of the club that was under way has become; 404 until it is stored."""
    stage = arena.hub.find(id)
    if stage is None or not stage.films:
        raise unknown(id)
    with arena.club.database.reading() as session:
        return played_bouts.become(session, id, stage.film.started, asker)


@get("/users/{name:str}", sync_to_thread=True)
def user(arena: Served, asker: Asker, name: FromPath[str]) -> dict[str, Any]:
    """Somebody's public page."""
    with arena.club.database.reading() as session:
        found = users.named(session, name)
        listed = bots.list_bots(session, asker, None, found.name, False, None, MOST)["items"]
        recent = played_bouts.of_bots(session, [bot["id"] for bot in listed], asker, None, 20)
        private = asker.organiser or asker.id == found.id
        told = {
            "user": users.as_json(found, private=private),
            "bots": listed,
            "bouts": recent["items"],
        }
        if private:
            most = arena.club.rules.storage_megabytes << 20
            told["storage"] = {"used": quotas.stored(session, found.id), "most": most}
        return told


@get("/kits/{game:str}", sync_to_thread=True)
def kit(game: FromPath[str]) -> dict[str, Any]:
    """What a new bot may begin with, by language."""
    return starter_kits.of(events.playable(game))


HANDLERS = [
    list_bots,
    make,
    add_version,
    one,
    change,
    retire,
    version,
    files,
    zipped,
    bot_bouts,
    bout,
    became,
    user,
    kit,
]
