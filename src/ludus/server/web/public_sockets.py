"""WebSockets that need no account: live bouts and rooms, under ``/ws``."""

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
from ludus.server.error_schema import ErrorDetail
from ludus.server.live.hub import Watcher
from ludus.server.live.messages import ErrorMessage, encode_message
from ludus.server.state import InjectedIdentity, InjectedState, ServerState, unknown_bout
from ludus.server.web.errors import Forbidden

GOING_AWAY_CODE, TRY_AGAIN_CODE, FORBIDDEN_CODE, NOT_FOUND_CODE = 1001, 1013, 4403, 4404
"""Close codes; with codes from 4000 on, clients should not reconnect."""
WRONG_TOKEN = Forbidden(
    "this link opens no seat of the room; without its token you can look on",
    "这个链接不对应房间的任何座位；去掉其中的 token 可以旁观",
)

Socket = WebSocket[Any, Any, Any]
OnMessage = Callable[[str], None]


async def serve_watcher(
    socket: Socket, server_state: ServerState, watcher: Watcher, on_message: OnMessage | None = None
) -> None:
    """Send the watcher's messages until one side closes; ``on_message`` gets the client's."""
    server_state.hub.connections_made += 1
    receiving = asyncio.create_task(_receive_messages(socket, watcher, on_message))
    try:
        while (text := await watcher.next()) is not None:
            await socket.send_text(text)
        if not receiving.done():
            code = TRY_AGAIN_CODE if watcher.dropped else GOING_AWAY_CODE
            await socket.close(code)
    except WebSocketDisconnect:
        pass
    finally:
        receiving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await receiving


async def _receive_messages(socket: Socket, watcher: Watcher, on_message: OnMessage | None) -> None:
    with contextlib.suppress(WebSocketDisconnect):
        while True:
            text = await socket.receive_text()
            if on_message is not None:
                on_message(text)
            await asyncio.sleep(0)  # let other tasks run, however many messages are queued
    watcher.close()


async def refuse_socket(socket: Socket, error: LudusError, code: int) -> None:
    """Send an error, then close: browsers do not tell pages why a handshake failed."""
    await socket.accept()
    await socket.send_text(encode_message(ErrorMessage(ErrorDetail.from_error(error))))
    await socket.close(code)


@websocket("/live")
async def stream_live_list(socket: Socket, server_state: InjectedState) -> None:
    """The list of bouts under way, whenever it changes."""
    await socket.accept()
    watcher = Watcher()
    with server_state.streams.watch(), server_state.hub.watch_list(watcher):
        await serve_watcher(socket, server_state, watcher)


@websocket("/film/{id:str}")
async def stream_film(
    socket: Socket, server_state: InjectedState, identity: InjectedIdentity, id: FromPath[str]
) -> None:
    """A bout under way: the film so far, then every step."""
    live_bout = await server_state.find_live_bout(id)
    try:
        if live_bout is None:
            raise unknown_bout(id)
        contest_id = live_bout.info.contest_id
        await asyncio.to_thread(server_state.live_access.require_visible, contest_id, identity)
    except LudusError as error:
        await refuse_socket(socket, error, NOT_FOUND_CODE)
        return
    await socket.accept()
    watcher = Watcher()
    live_bout.watch(watcher)
    try:
        with server_state.streams.watch(id):
            await serve_watcher(socket, server_state, watcher)
    finally:
        live_bout.unwatch(watcher)


@websocket("/room/{id:str}")
async def join_room(
    socket: Socket,
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[str],
    token: FromQuery[str] = "",
) -> None:
    """A room: with a seat's token one plays, without one is a spectator."""
    found = server_state.rooms.find(id)
    if found is None:
        await refuse_socket(socket, unknown_bout(id), NOT_FOUND_CODE)
        return
    watcher, human_seat = Watcher(), found.find_seat(token)
    if token and human_seat is None:
        await refuse_socket(socket, WRONG_TOKEN, FORBIDDEN_CODE)
        return
    await socket.accept()
    found.add_watcher(watcher, human_seat)
    try:
        await serve_watcher(
            socket,
            server_state,
            watcher,
            partial(found.receive, human_seat, identity.name, watcher),
        )
    finally:
        found.remove_watcher(watcher, human_seat)


HANDLERS = [stream_live_list, stream_film, join_room]
