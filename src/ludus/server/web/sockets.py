"""What all WebSockets share: sending a watcher's messages, refusing a client, close codes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from litestar import WebSocket
from litestar.exceptions import WebSocketDisconnect

from ludus.errors import LudusError
from ludus.server.error_schema import ErrorDetail
from ludus.server.live.live_bouts import Watcher
from ludus.server.live.messages import ErrorMessage, encode_message
from ludus.server.state import ServerState

GOING_AWAY_CODE, TRY_AGAIN_CODE, FORBIDDEN_CODE, NOT_FOUND_CODE = 1001, 1013, 4403, 4404
"""Close codes; with codes from 4000 on, clients should not reconnect."""

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
