"""Keeps what a caller holds within limits: open WebSockets, and memory for large bodies."""

from __future__ import annotations

import asyncio
from typing import Any

from ludus.server.accounts.auth import arena_of, secrets_of, viewer_of
from ludus.server.accounts.session_sockets import key_of
from ludus.server.live.hub import message
from ludus.server.web.errors import Refusal, TooOften
from ludus.server.web.public_sockets import FORBIDDEN, TRY_AGAIN
from ludus.server.web.traffic import BODY_FREE, Caller

ENDED = 1008
PIECE = 1 << 20
"""Bytes for which memory is asked at a time, when a body does not say how long it is."""


class Throttle:
    """Wraps an application that knows who asks."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        elif _has_body(scope):
            await self._body(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _caller(self, scope: Any) -> Caller:
        arena = arena_of(scope)
        viewer = await viewer_of(scope, arena)
        return arena.caller(viewer, (scope.get("client") or ("",))[0])

    async def _socket(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            with arena_of(scope).traffic.socket(await self._caller(scope)):
                await self._while_logged_in(scope, receive, send)
        except Refusal as error:
            code = TRY_AGAIN if isinstance(error, TooOften) else FORBIDDEN
            await receive()
            await send({"type": "websocket.accept"})
            await send({"type": "websocket.send", "text": message("error", error=error.text)})
            await send({"type": "websocket.close", "code": code})

    async def _while_logged_in(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve a socket; when the session or token that opened it ends, close it at once. The
        application is told that the client has gone, and says nothing more to it."""
        cookie, bearer = secrets_of(scope)
        viewer = await viewer_of(scope, arena_of(scope))
        if not viewer.known:
            await self.app(scope, receive, send)
            return
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def hear() -> Any:
            heard = asyncio.ensure_future(receive())
            try:
                await asyncio.wait((heard, ended), return_when=asyncio.FIRST_COMPLETED)
                if not ended.done():
                    return heard.result()
            finally:
                heard.cancel()
            return {"type": "websocket.disconnect", "code": ENDED}

        async def say(event: Any) -> None:
            if not ended.done():
                await send(event)

        with arena_of(scope).logged_in.holding(key_of(cookie, bearer), ended):
            await self.app(scope, hear, say)
        if ended.done():
            await send({"type": "websocket.close", "code": ENDED})

    async def _body(self, scope: Any, receive: Any, send: Any) -> None:
        """Before any of a body is read, memory for all of it is asked for; the reader has seen by
        then whether it is too long. Bodies that do not tell their length ask as they come."""
        caller, traffic = await self._caller(scope), arena_of(scope).traffic
        declared = _length(scope)
        held: list[int] = []
        size = 0

        async def hold(amount: int) -> None:
            await traffic.hold_body(caller, amount)
            held.append(amount)

        async def counted() -> Any:
            nonlocal size
            if declared > BODY_FREE and not held:
                await hold(declared)
            event = await receive()
            size += len(event.get("body", b""))
            while size > BODY_FREE and size > sum(held):
                await hold(PIECE)
            return event

        try:
            await self.app(scope, counted, send)
        finally:
            for amount in held:
                await traffic.free_body(caller, amount)


def _has_body(scope: Any) -> bool:
    return scope["type"] == "http" and scope["method"] not in ("GET", "HEAD", "OPTIONS")


def _length(scope: Any) -> int:
    given = dict(scope["headers"]).get(b"content-length", b"0")
    return int(given) if given.isdigit() else 0
