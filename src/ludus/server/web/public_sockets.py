"""WebSockets that need no account: live bouts and rooms, under ``/ws``."""

from __future__ import annotations

import asyncio
from functools import partial

from litestar import websocket
from litestar.params import FromPath, FromQuery

from ludus.errors import LudusError
from ludus.server.live.live_bouts import Watcher
from ludus.server.live.messages import encode_message
from ludus.server.state import InjectedIdentity, InjectedState, unknown_bout
from ludus.server.web.errors import Forbidden
from ludus.server.web.sockets import (
    FORBIDDEN_CODE,
    NOT_FOUND_CODE,
    Socket,
    refuse_socket,
    serve_watcher,
)

WRONG_TOKEN = Forbidden(
    "this link opens no seat of the room; without its token you can look on",
    "这个链接不对应房间的任何座位；去掉其中的 token 可以旁观",
)


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
        await socket.accept()
        await socket.send_text(encode_message(server_state.rooms.describe_closed(id)))
        await socket.close(NOT_FOUND_CODE)
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
