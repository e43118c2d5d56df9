"""News of the club, under ``/ws``."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import Annotated

from litestar import websocket
from litestar.params import FromPath, QueryParameter

from ludus.errors import LudusError
from ludus.server.accounts.auth import Asker
from ludus.server.accounts.identity import Viewer
from ludus.server.contests import contests, events
from ludus.server.live.hub import Watcher, message
from ludus.server.state import Arena, Served
from ludus.server.web.errors import login_first
from ludus.server.web.public_sockets import FORBIDDEN, NOT_HERE, Socket, refuse, serve

LOOK = 0.5
"""Seconds between two looks at the boards of a wall."""
WALL = 64
"""Boards on a wall, at most."""


@websocket("/me")
async def me(socket: Socket, arena: Served, asker: Asker) -> None:
    """Your notices, and your versions as their checks end."""
    if not asker.known:
        await refuse(socket, login_first().text, FORBIDDEN)
        return
    await socket.accept()
    watcher = Watcher()
    with arena.crowd.waiting(("user", asker.id), watcher):
        await serve(socket, arena, watcher)


@websocket("/contest/{id:int}")
async def contest(socket: Socket, arena: Served, asker: Asker, id: FromPath[int]) -> None:
    """``changed`` whenever there is something new to read about a contest or a challenge."""
    if await _seen(socket, arena, asker, id, results=False) is None:
        return
    await socket.accept()
    watcher = Watcher()
    with arena.crowd.waiting(("event", id), watcher):
        await serve(socket, arena, watcher)


@websocket("/ladder/{game:str}")
async def ladder(socket: Socket, arena: Served, game: FromPath[str]) -> None:
    """``changed`` whenever a ladder has."""
    try:
        name = events.playable(game).name
    except LudusError as error:
        await refuse(socket, error.text, NOT_HERE)
        return
    await socket.accept()
    watcher = Watcher()
    with arena.crowd.waiting(("ladder", name), watcher):
        await serve(socket, arena, watcher)


@websocket("/wall/{id:int}")
async def wall(
    socket: Socket,
    arena: Served,
    asker: Asker,
    id: FromPath[int],
    delay: Annotated[float, QueryParameter(ge=0, le=600)] = 0.0,
) -> None:
    """The boards of a contest that are being played, ``delay`` seconds late."""
    contest_id = await _seen(socket, arena, asker, id)
    if contest_id is None:
        return
    await socket.accept()
    watcher = Watcher()
    show = asyncio.create_task(_show(arena, watcher, id, delay))
    try:
        with arena.hub.looking():
            await serve(socket, arena, watcher)
    finally:
        show.cancel()


async def _show(arena: Arena, watcher: Watcher, id: int, delay: float) -> None:
    waiting: deque[tuple[float, str]] = deque()
    last = ""
    while True:
        contest_id = await asyncio.to_thread(_contest_id, arena, id)
        text = _boards(arena, contest_id)
        if text != last:
            last = text
            waiting.append((time.monotonic(), text))
        while waiting and time.monotonic() - waiting[0][0] >= delay:
            watcher.send(waiting.popleft()[1])
        await asyncio.sleep(LOOK)


def _contest_id(arena: Arena, id: int) -> int | None:
    with arena.club.database.reading() as session:
        return events.event_of(session, id).contest_id


def _boards(arena: Arena, contest_id: int | None) -> str:
    prefix = f"contest{contest_id}-"
    stages = [s for s in arena.hub.stages.values() if s.id.startswith(prefix)][:WALL]
    for stage in stages:
        stage.catch_up()
    return message("live", items=[stage.summary() for stage in stages if stage.listed])


async def _seen(
    socket: Socket, arena: Arena, asker: Viewer, id: int, *, results: bool = True
) -> int | None:
    """The event, if they may see it; else the socket is closed with the reason.

    Hidden results are no reason to keep quiet about when they are published.
    """

    def look() -> int:
        with arena.club.database.reading() as session:
            event = events.event_of(session, id)
            if event.kind == events.CONTEST:
                contests.found(session, id, asker)
                if not results:
                    return id
            return events.must_see(event, asker).id

    try:
        return await asyncio.to_thread(look)
    except LudusError as error:
        await refuse(socket, error.text, NOT_HERE)
        return None


HANDLERS = [me, contest, ladder, wall]
