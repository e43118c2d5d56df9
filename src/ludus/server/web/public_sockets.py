"""What is told over WebSockets, under ``/ws``."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from functools import partial
from typing import Any

from litestar import WebSocket, websocket
from litestar.exceptions import WebSocketDisconnect
from litestar.params import FromPath, FromQuery

from ludus.errors import LudusError
from ludus.lang import Text
from ludus.server.live.hub import Watcher, message
from ludus.server.state import Arena, Asker, Served, unknown

GOING_AWAY, TRY_AGAIN, FORBIDDEN, NOT_HERE = 1001, 1013, 4403, 4404
"""Why a socket is closed; from 4000 on there is no use in coming back."""
WRONG_TOKEN = {
    "en": "this link opens no seat of the room; without its token you can look on",
    "zh": "这个链接不对应房间的任何座位；去掉其中的 token 可以旁观",
}

Socket = WebSocket[Any, Any, Any]
Hear = Callable[[str], None]


async def serve(socket: Socket, arena: Arena, watcher: Watcher, hear: Hear | None = None) -> None:
    """Send what the watcher gets until one side closes; ``hear`` gets what the client says."""
    arena.hub.visits += 1
    ears = asyncio.create_task(_listen(socket, watcher, hear))
    try:
        while (text := await watcher.next()) is not None:
            await socket.send_text(text)
        if not ears.done():
            code = TRY_AGAIN if watcher.dropped else GOING_AWAY
            await socket.close(code)
    except WebSocketDisconnect:
        pass
    finally:
        ears.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await ears


async def _listen(socket: Socket, watcher: Watcher, hear: Hear | None) -> None:
    with contextlib.suppress(WebSocketDisconnect):
        while True:
            text = await socket.receive_text()
            if hear is not None:
                hear(text)
            await asyncio.sleep(0)  # others' turn, however much waits here
    watcher.close()


async def refuse(socket: Socket, why: Text, code: int) -> None:
    """Say what is wrong, then close: browsers do not tell pages why a handshake failed."""
    await socket.accept()
    await socket.send_text(message("error", error=why))
    await socket.close(code)


@websocket("/live")
async def live(socket: Socket, arena: Served) -> None:
    """The list of bouts under way, whenever it changes."""
    await socket.accept()
    watcher = Watcher()
    with arena.hub.listening(watcher):
        await serve(socket, arena, watcher)


@websocket("/film/{id:str}")
async def film(socket: Socket, arena: Served, asker: Asker, id: FromPath[str]) -> None:
    """A bout under way: all of it so far, then every step."""
    stage = arena.stage(id)
    try:
        if stage is None:
            raise unknown(id)
        await asyncio.to_thread(arena.showing.must_see, id, asker)
    except LudusError as error:
        await refuse(socket, error.text, NOT_HERE)
        return
    await socket.accept()
    watcher = Watcher()
    stage.watch(watcher)
    try:
        await serve(socket, arena, watcher)
    finally:
        stage.leave(watcher)


@websocket("/room/{id:str}")
async def room(
    socket: Socket, arena: Served, asker: Asker, id: FromPath[str], token: FromQuery[str] = ""
) -> None:
    """A room: with a seat's token one plays, without one looks on."""
    found = arena.rooms.find(id)
    if found is None:
        await refuse(socket, unknown(id).text, NOT_HERE)
        return
    watcher, chair = Watcher(), found.chair_of(token)
    if token and chair is None:
        await refuse(socket, WRONG_TOKEN, FORBIDDEN)
        return
    await socket.accept()
    found.enter(watcher, chair)
    try:
        await serve(socket, arena, watcher, partial(found.hear, chair, asker.name, watcher))
    finally:
        found.leave(watcher, chair)


HANDLERS = [live, film, room]
