"""News of the club, under ``/ws``."""

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
from ludus.server.live.hub import Watcher
from ludus.server.live.messages import LiveMessage, encode_message
from ludus.server.state import InjectedState, ServerState
from ludus.server.web.errors import login_required
from ludus.server.web.public_sockets import (
    FORBIDDEN_CODE,
    NOT_FOUND_CODE,
    Socket,
    refuse_socket,
    serve_watcher,
)

WALL_REFRESH_S = 0.5
"""Seconds between two looks at the boards of a wall."""
MAX_WALL_BOARDS = 64
"""Boards on a wall, at most."""


@websocket("/me")
async def stream_notices(socket: Socket, arena: InjectedState, asker: InjectedIdentity) -> None:
    """Your notices, and your versions as their checks end."""
    if not asker.is_logged_in:
        await refuse_socket(socket, login_required(), FORBIDDEN_CODE)
        return
    await socket.accept()
    watcher = Watcher()
    with arena.notifier.subscribe(("user", asker.id), watcher):
        await serve_watcher(socket, arena, watcher)


@websocket("/contest/{id:int}")
async def stream_contest(
    socket: Socket, arena: InjectedState, asker: InjectedIdentity, id: FromPath[int]
) -> None:
    """``changed`` whenever there is something new to read about a contest or a challenge."""
    if await _find_visible_contest(socket, arena, asker, id, results=False) is None:
        return
    await socket.accept()
    watcher = Watcher()
    with arena.notifier.subscribe(("contest", id), watcher):
        await serve_watcher(socket, arena, watcher)


@websocket("/ladder/{game:str}")
async def stream_ladder(socket: Socket, arena: InjectedState, game: FromPath[str]) -> None:
    """``changed`` whenever a ladder has."""
    try:
        name = playable_games.get_playable_game(game).name
    except LudusError as error:
        await refuse_socket(socket, error, NOT_FOUND_CODE)
        return
    await socket.accept()
    watcher = Watcher()
    with arena.notifier.subscribe(("ladder", name), watcher):
        await serve_watcher(socket, arena, watcher)


@websocket("/wall/{id:int}")
async def stream_wall(
    socket: Socket,
    arena: InjectedState,
    asker: InjectedIdentity,
    id: FromPath[int],
    delay: Annotated[float, QueryParameter(ge=0, le=600)] = 0.0,
) -> None:
    """The boards of a contest that are being played, ``delay`` seconds late."""
    if await _find_visible_contest(socket, arena, asker, id) is None:
        return
    await socket.accept()
    watcher = Watcher()
    show = asyncio.create_task(_send_wall_boards(arena, watcher, id, delay))
    try:
        with arena.streams.watch():
            await serve_watcher(socket, arena, watcher)
    finally:
        show.cancel()


async def _send_wall_boards(arena: ServerState, watcher: Watcher, id: int, delay: float) -> None:
    waiting: deque[tuple[float, str]] = deque()
    last = ""
    while True:
        text = _encode_boards(arena, id)
        if text != last:
            last = text
            waiting.append((time.monotonic(), text))
        while waiting and time.monotonic() - waiting[0][0] >= delay:
            watcher.send(waiting.popleft()[1])
        await asyncio.sleep(WALL_REFRESH_S)


def _encode_boards(arena: ServerState, contest_id: int) -> str:
    bouts = arena.hub.live_bouts.values()
    shown = [bout for bout in bouts if bout.info.contest_id == contest_id and bout.is_listed]
    return encode_message(LiveMessage([bout.summarize() for bout in shown[:MAX_WALL_BOARDS]]))


async def _find_visible_contest(
    socket: Socket, arena: ServerState, asker: Identity, id: int, *, results: bool = True
) -> int | None:
    """The contest, if they may see it; else the socket is closed with the reason.

    Hidden results are no reason to keep quiet about when they are published.
    """

    def look() -> int:
        with arena.site.database.reading() as session:
            contest = contest_access.get_contest(session, id)
            if contest.kind == CONTEST:
                contests.found(session, id, asker)
                if not results:
                    return id
            return contest_access.require_visible(contest, asker).id

    try:
        return await asyncio.to_thread(look)
    except LudusError as error:
        await refuse_socket(socket, error, NOT_FOUND_CODE)
        return None


HANDLERS = [stream_notices, stream_contest, stream_ladder, stream_wall]
