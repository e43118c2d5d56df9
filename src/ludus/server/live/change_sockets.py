"""Notifications and live tables, under ``/ws``."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import Annotated

from litestar import websocket
from litestar.params import FromPath, QueryParameter

from ludus.errors import LudusError
from ludus.scheduling.schema.contests import CONTEST
from ludus.server import playable_games
from ludus.server.accounts.auth import InjectedIdentity
from ludus.server.accounts.identity import Identity
from ludus.server.contests import contest_access, contests
from ludus.server.live.live_bouts import Watcher
from ludus.server.live.messages import LiveMessage, encode_message
from ludus.server.state import InjectedState, ServerState
from ludus.server.web.errors import login_required
from ludus.server.web.sockets import (
    FORBIDDEN_CODE,
    NOT_FOUND_CODE,
    Socket,
    refuse_socket,
    serve_watcher,
)

WALL_REFRESH_S = 0.5
"""Seconds between two updates of a wall's boards."""
MAX_WALL_BOARDS = 64
"""The most boards on a wall."""


@websocket("/me")
async def stream_notices(
    socket: Socket, server_state: InjectedState, identity: InjectedIdentity
) -> None:
    """Your notices, and your versions when their checks end."""
    if not identity.is_logged_in:
        await refuse_socket(socket, login_required(), FORBIDDEN_CODE)
        return
    await socket.accept()
    watcher = Watcher()
    with server_state.notifier.subscribe(("user", identity.id), watcher):
        await serve_watcher(socket, server_state, watcher)


@websocket("/contest/{id:int}")
async def stream_contest(
    socket: Socket, server_state: InjectedState, identity: InjectedIdentity, id: FromPath[int]
) -> None:
    """``changed`` whenever there is something new to read about a contest or a challenge."""
    if await _find_visible_contest(socket, server_state, identity, id, results=False) is None:
        return
    await socket.accept()
    watcher = Watcher()
    with server_state.notifier.subscribe(("contest", id), watcher):
        await serve_watcher(socket, server_state, watcher)


@websocket("/ladder/{game:str}")
async def stream_ladder(socket: Socket, server_state: InjectedState, game: FromPath[str]) -> None:
    """``changed`` whenever the ladder has changed."""
    try:
        name = playable_games.get_playable_game(game).name
    except LudusError as error:
        await refuse_socket(socket, error, NOT_FOUND_CODE)
        return
    await socket.accept()
    watcher = Watcher()
    with server_state.notifier.subscribe(("ladder", name), watcher):
        await serve_watcher(socket, server_state, watcher)


@websocket("/wall/{id:int}")
async def stream_wall(
    socket: Socket,
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[int],
    delay: Annotated[float, QueryParameter(ge=0, le=600)] = 0.0,
) -> None:
    """The boards of a contest that are being played, ``delay`` seconds late."""
    if await _find_visible_contest(socket, server_state, identity, id) is None:
        return
    await socket.accept()
    watcher = Watcher()
    show = asyncio.create_task(_send_wall_boards(server_state, watcher, id, delay))
    try:
        with server_state.streams.watch():
            await serve_watcher(socket, server_state, watcher)
    finally:
        show.cancel()


async def _send_wall_boards(
    server_state: ServerState, watcher: Watcher, id: int, delay: float
) -> None:
    waiting: deque[tuple[float, str]] = deque()
    last = ""
    while True:
        text = _encode_boards(server_state, id)
        if text != last:
            last = text
            waiting.append((time.monotonic(), text))
        while waiting and time.monotonic() - waiting[0][0] >= delay:
            watcher.send(waiting.popleft()[1])
        await asyncio.sleep(WALL_REFRESH_S)


def _encode_boards(server_state: ServerState, contest_id: int) -> str:
    bouts = server_state.hub.live_bouts.values()
    shown = [bout for bout in bouts if bout.info.contest_id == contest_id and bout.is_listed]
    return encode_message(LiveMessage([bout.summarize() for bout in shown[:MAX_WALL_BOARDS]]))


async def _find_visible_contest(
    socket: Socket, server_state: ServerState, identity: Identity, id: int, *, results: bool = True
) -> int | None:
    """The contest's id, if ``identity`` may see it; else the socket is closed with the reason.

    ``results=False``: a contest with hidden results will do, so that watchers learn when they are
    published.
    """

    def look() -> int:
        with server_state.site.database.reading() as session:
            contest = contest_access.get_contest(session, id)
            if contest.kind == CONTEST:
                contests.found(session, id, identity)
                if not results:
                    return id
            return contest_access.require_visible(contest, identity).id

    try:
        return await asyncio.to_thread(look)
    except LudusError as error:
        await refuse_socket(socket, error, NOT_FOUND_CODE)
        return None


HANDLERS = [stream_notices, stream_contest, stream_ladder, stream_wall]
