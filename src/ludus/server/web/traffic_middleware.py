"""Limits a caller's open WebSockets and the memory of large bodies."""

from __future__ import annotations

import asyncio
from typing import Any

from ludus.server.accounts.auth import get_state, identify_request, read_credentials
from ludus.server.accounts.session_sockets import make_session_key
from ludus.server.error_schema import ErrorDetail
from ludus.server.live.messages import ErrorMessage, encode_message
from ludus.server.web.errors import RequestError, TooManyRequests
from ludus.server.web.sockets import FORBIDDEN_CODE, TRY_AGAIN_CODE
from ludus.server.web.traffic_limits import UNCOUNTED_BODY_BYTES, TrafficCaller

SESSION_ENDED_CODE = 1008
BODY_CHUNK_BYTES = 1 << 20
"""Bytes of memory reserved at a time for a body of unknown length."""


class TrafficMiddleware:
    """Wraps an application whose requests carry their identity."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await self._serve_socket(scope, receive, send)
        elif _has_body(scope):
            await self._serve_body(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _identify_caller(self, scope: Any) -> TrafficCaller:
        server_state = get_state(scope)
        identity = await identify_request(scope, server_state)
        return server_state.identify_caller(identity, (scope.get("client") or ("",))[0])

    async def _serve_socket(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            with get_state(scope).traffic.hold_socket(await self._identify_caller(scope)):
                await self._serve_until_logout(scope, receive, send)
        except RequestError as error:
            code = TRY_AGAIN_CODE if isinstance(error, TooManyRequests) else FORBIDDEN_CODE
            await receive()
            await send({"type": "websocket.accept"})
            text = encode_message(ErrorMessage(ErrorDetail.from_error(error)))
            await send({"type": "websocket.send", "text": text})
            await send({"type": "websocket.close", "code": code})

    async def _serve_until_logout(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve a socket and close it at once when its session or token ends. The application is
        told that the client has disconnected."""
        cookie, bearer = read_credentials(scope)
        identity = await identify_request(scope, get_state(scope))
        if not identity.is_logged_in:
            await self.app(scope, receive, send)
            return
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def receive_until_ended() -> Any:
            received = asyncio.ensure_future(receive())
            try:
                await asyncio.wait((received, ended), return_when=asyncio.FIRST_COMPLETED)
                if not ended.done():
                    return received.result()
            finally:
                received.cancel()
            return {"type": "websocket.disconnect", "code": SESSION_ENDED_CODE}

        async def send_until_ended(event: Any) -> None:
            if not ended.done():
                await send(event)

        with get_state(scope).session_sockets.register(make_session_key(cookie, bearer), ended):
            await self.app(scope, receive_until_ended, send_until_ended)
        if ended.done():
            await send({"type": "websocket.close", "code": SESSION_ENDED_CODE})

    async def _serve_body(self, scope: Any, receive: Any, send: Any) -> None:
        """Reserve memory for a whole body before any of it is read; the application has then
        checked its length. Bodies of unknown length reserve memory as they arrive."""
        caller, traffic = await self._identify_caller(scope), get_state(scope).traffic
        declared = _content_length(scope)
        held: list[int] = []
        size = 0

        async def hold(amount: int) -> None:
            await traffic.hold_body(caller, amount)
            held.append(amount)

        async def counted() -> Any:
            nonlocal size
            if declared > UNCOUNTED_BODY_BYTES and not held:
                await hold(declared)
            event = await receive()
            size += len(event.get("body", b""))
            while size > UNCOUNTED_BODY_BYTES and size > sum(held):
                await hold(BODY_CHUNK_BYTES)
            return event

        try:
            await self.app(scope, counted, send)
        finally:
            for amount in held:
                await traffic.free_body(caller, amount)


def _has_body(scope: Any) -> bool:
    return scope["type"] == "http" and scope["method"] not in ("GET", "HEAD", "OPTIONS")


def _content_length(scope: Any) -> int:
    given = dict(scope["headers"]).get(b"content-length", b"0")
    return int(given) if given.isdigit() else 0
