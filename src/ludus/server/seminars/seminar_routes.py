"""Seminars over HTTP and WebSocket."""

from __future__ import annotations

import asyncio
from functools import partial

from litestar import delete, get, post, websocket
from litestar.params import FromPath, JSONBody

from ludus.errors import LudusError
from ludus.server.accounts.identity import ADMIN, Identity
from ludus.server.admin import audit
from ludus.server.live.live_bouts import Watcher
from ludus.server.seminars.seminar_access import require_presentable
from ludus.server.seminars.seminar_schemas import SeminarInfo, SeminarRequest
from ludus.server.seminars.seminars import Seminar
from ludus.server.state import InjectedIdentity, InjectedState, ServerState
from ludus.server.web.errors import permission_denied
from ludus.server.web.responses import Done
from ludus.server.web.sockets import NOT_FOUND_CODE, Socket, refuse_socket, serve_watcher


@post("/seminars", status_code=201, scope=ADMIN)
async def open_seminar(
    server_state: InjectedState, identity: InjectedIdentity, data: JSONBody[SeminarRequest]
) -> SeminarInfo:
    """Replay a bout, without names, for everyone who has the seminar's code; for the staff of the
    bout's class."""
    identity.require_login()
    code = server_state.seminars.draw_code()
    seminar = await asyncio.to_thread(_make_seminar, server_state, identity, code, data.film)
    server_state.seminars.add(seminar)
    await asyncio.to_thread(_log_action, server_state, identity, "seminar opened", data.film)
    return seminar.describe(identity.id)


def _make_seminar(server_state: ServerState, identity: Identity, code: str, film: str) -> Seminar:
    with server_state.site.database.reading() as session:
        students = require_presentable(session, film, identity)
    return Seminar(code, identity.id, server_state.load_record(film, identity), students)


def _log_action(server_state: ServerState, identity: Identity, what: str, film: str) -> None:
    with server_state.site.database.writing() as session:
        audit.log_action(session, identity, what, film=film)


@get("/seminars/{id:str}", sync_to_thread=False)
def get_seminar(
    server_state: InjectedState, identity: InjectedIdentity, id: FromPath[str]
) -> SeminarInfo:
    """A seminar, for everyone who has its code."""
    return server_state.seminars.get(id).describe(identity.id)


@delete("/seminars/{id:str}", status_code=200, scope=ADMIN)
async def close_seminar(
    server_state: InjectedState, identity: InjectedIdentity, id: FromPath[str]
) -> Done:
    """End a seminar that you lead."""
    identity.require_login()
    seminar = server_state.seminars.get(id)
    if seminar.leader_id != identity.id and not identity.organiser:
        raise permission_denied()
    server_state.seminars.remove(seminar)
    await asyncio.to_thread(_log_action, server_state, identity, "seminar closed", seminar.film_id)
    return Done()


@websocket("/seminar/{id:str}")
async def follow_seminar(
    socket: Socket, server_state: InjectedState, identity: InjectedIdentity, id: FromPath[str]
) -> None:
    """What the leader of a seminar shows, whenever it changes. The leader sends a
    ``SeminarView``."""
    watcher = Watcher()
    try:
        seminar = server_state.seminars.get(id)
        with seminar.connect(watcher, identity.id):
            await socket.accept()
            await serve_watcher(socket, server_state, watcher, partial(seminar.receive, watcher))
    except LudusError as error:
        await refuse_socket(socket, error, NOT_FOUND_CODE)


HANDLERS = [open_seminar, get_seminar, close_seminar]
SOCKET_HANDLERS = [follow_seminar]
