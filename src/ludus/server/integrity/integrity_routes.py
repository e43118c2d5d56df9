"""Integrity over HTTP: similar submissions, settled pairs, given code; for the staff."""

from __future__ import annotations

import asyncio
from typing import Annotated

import msgspec
from litestar import Response, delete, get, post
from litestar.params import FromPath, FromQuery, JSONBody
from sqlalchemy.orm import Session

from ludus.errors import LudusError
from ludus.scheduling.schema import AssignmentRow
from ludus.server import playable_games
from ludus.server.accounts.auth import AnyRequest, InjectedIdentity
from ludus.server.accounts.identity import ADMIN, Identity
from ludus.server.admin import audit
from ludus.server.bots import bots, upload
from ludus.server.bots.upload_limits import MAX_UPLOAD_BODY_BYTES
from ludus.server.courses import assignments, gradings, submissions
from ludus.server.integrity import base_code, code_export, comparisons
from ludus.server.integrity.integrity_schemas import (
    BaseCodeInfo,
    ComparableGame,
    ComparedCode,
    SimilarSubmissions,
    SubmittedCode,
)
from ludus.server.services import InjectedDatabase
from ludus.server.state import InjectedState
from ludus.server.web.errors import Forbidden
from ludus.server.web.forms import Form, read_fields_and_files
from ludus.server.web.public_routes import make_download
from ludus.server.web.responses import Done


class SettledPair(msgspec.Struct, forbid_unknown_fields=True):
    """Two versions that the staff has looked at, and why they need no more attention."""

    a: int
    b: int
    reason: Annotated[str, msgspec.Meta(min_length=1, max_length=comparisons.MAX_REASON)]


@get("/admin/similar", sync_to_thread=True, scope=ADMIN)
def list_similar(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    game: FromQuery[str],
    group: FromQuery[int | None] = None,
) -> list[SimilarSubmissions]:
    """Similar submissions of different owners, retired bots and earlier terms included: a hint,
    never a verdict (teachers: of their classes). With ``group``, pairs with a side of that
    class."""
    identity.require_staff()
    if group is not None:
        identity.require_teacher_of(group)
    found = playable_games.get_playable_game(game)
    with database.reading() as session:
        return comparisons.find_similar_submissions(session, identity, found, group)


@get("/admin/similar/games", sync_to_thread=True, scope=ADMIN)
def list_comparable_games(
    database: InjectedDatabase, identity: InjectedIdentity
) -> list[ComparableGame]:
    """The games of which you have bots to compare, those with most first."""
    identity.require_staff()
    with database.reading() as session:
        return comparisons.count_comparable(session, identity)


@post("/admin/similar/settled", sync_to_thread=True, status_code=200, scope=ADMIN)
def settle_pair(
    database: InjectedDatabase, identity: InjectedIdentity, data: JSONBody[SettledPair]
) -> Done:
    """Mark a similar pair as settled, with a reason."""
    identity.require_staff()
    with database.writing() as session:
        comparisons.settle_pair(session, identity, data.a, data.b, data.reason)
    return Done()


@delete("/admin/similar/settled/{a:int}/{b:int}", sync_to_thread=True, status_code=200, scope=ADMIN)
def reopen_pair(
    database: InjectedDatabase, identity: InjectedIdentity, a: FromPath[int], b: FromPath[int]
) -> Done:
    """Take back that a pair was settled."""
    identity.require_staff()
    with database.writing() as session:
        comparisons.reopen_pair(session, identity, a, b)
    return Done()


@get("/admin/similar/{a:int}/{b:int}/code", sync_to_thread=True, scope=ADMIN)
def compare_code(
    database: InjectedDatabase, identity: InjectedIdentity, a: FromPath[int], b: FromPath[int]
) -> ComparedCode:
    """The code of two similar versions, for those who may compare them; it is written to the audit
    log that they read it."""
    identity.require_staff()
    with database.reading() as session:
        compared = comparisons.compare_code(session, identity, a, b)
    with database.writing() as session:
        comparisons.log_reading(session, identity, a, b)
    return compared


@get("/admin/base-code", sync_to_thread=True, scope=ADMIN)
def list_base_code(
    database: InjectedDatabase, identity: InjectedIdentity, game: FromQuery[str]
) -> list[BaseCodeInfo]:
    """Code that people were given for a game, which does not count as similar."""
    identity.require_staff()
    name = playable_games.get_playable_game(game).name
    with database.reading() as session:
        return base_code.list_base_code(session, identity, name)


@post(
    "/admin/base-code",
    request_max_body_size=MAX_UPLOAD_BODY_BYTES,
    status_code=201,
    scope=ADMIN,
    form=Form(required=("game", "title"), optional=("group",)),
)
async def add_base_code(
    request: AnyRequest, server_state: InjectedState, identity: InjectedIdentity
) -> BaseCodeInfo:
    """Add given code: a form with ``game``, ``title``, ``files`` and ``group`` (a class of yours;
    without it, which only the organiser may, for all people)."""
    identity.require_staff()
    fields, sent = await read_fields_and_files(request)
    most = server_state.site.settings.upload_kilobytes << 10
    bundle = await asyncio.to_thread(upload.receive_upload, sent, most)
    group = fields.get("group", "")
    if group and not (group.isdecimal() and len(group) < 16):
        raise LudusError("group: expected the number of a class", "group 应为班级编号")

    def write() -> BaseCodeInfo:
        game = playable_games.get_playable_game(fields.get("game", "")).name
        with server_state.site.database.writing() as session:
            return base_code.add_base_code(
                session,
                identity,
                game,
                int(group) if group else None,
                fields.get("title", ""),
                bundle,
            )

    return await asyncio.to_thread(write)


@delete("/admin/base-code/{id:int}", sync_to_thread=True, status_code=200, scope=ADMIN)
def delete_base_code(
    database: InjectedDatabase, identity: InjectedIdentity, id: FromPath[int]
) -> Done:
    """Delete given code."""
    identity.require_staff()
    with database.writing() as session:
        base_code.delete_base_code(session, identity, id)
    return Done()


@get("/assignments/{id:int}/code.zip", sync_to_thread=True, scope=ADMIN)
def export_code(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    id: FromPath[int],
    tool: FromQuery[code_export.Tool] = "dolos",
) -> Response[bytes]:
    """What was handed in for an assignment, as a zip for Dolos or JPlag (the staff of the
    class)."""
    with database.reading() as session:
        row = _get_readable(session, id, identity)
        game = playable_games.get_playable_game(gradings.parse_settings(row).game)
        data = code_export.export_code(session, identity, game, row, tool)
        title = row.title
    with database.writing() as session:
        audit.log_action(
            session, identity, "submissions exported", assignment=id, title=title, tool=tool
        )
    return make_download(data, f"{title}-{tool}.zip", "application/zip")


@get("/assignments/{id:int}/submissions/{submission:int}/code", sync_to_thread=True, scope=ADMIN)
def read_submission(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    id: FromPath[int],
    submission: FromPath[int],
) -> SubmittedCode:
    """The code of a submission (the staff of the class); it is written to the audit log that they
    read it."""
    with database.writing() as session:
        row = _get_readable(session, id, identity)
        found = submissions.get_submission(session, id, submission)
        version = bots.get_version(session, found.version_id)
        named = bots.name_version(session, version)
        audit.log_action(
            session, identity, "submission read", assignment=id, title=row.title, bot=named
        )
        return SubmittedCode(upload.decode_texts(bots.read_files(session, version)))


def _get_readable(session: Session, id: int, identity: Identity) -> AssignmentRow:
    """An assignment whose submissions one may read."""
    row = assignments.get_graded(session, id, identity)
    if row.group_id not in identity.assisting:
        raise Forbidden(
            "only the staff of this class reads what was handed in",
            "只有本班教师和助教能查看提交的代码",
        )
    return row


HANDLERS = [
    list_similar,
    list_comparable_games,
    settle_pair,
    reopen_pair,
    compare_code,
    list_base_code,
    add_base_code,
    delete_base_code,
    export_code,
    read_submission,
]
