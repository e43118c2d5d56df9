"""uvicorn's protocols with limits: requests that come in time, sockets that do not flood."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import h11
import msgspec
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from ludus.arena.addresses import client_address
from ludus.arena.connections import Gate, Lag, Stall, reset
from ludus.arena.traffic import too_often

MAX_BODY_S = 600.0
"""Seconds in which the largest body must have come: it holds memory meanwhile."""
PARSED_AT_ONCE = 2048
"""Bytes of a WebSocket that are parsed before the frames in them are counted."""
FLOODED = 1008
"""The code with which a WebSocket that sends too much is closed."""
CLOSE_GRACE_S = 1.0
"""Seconds that its client has to read why."""


class StrictConnection(h11.Connection):
    """HTTP/1.1 in which a body has one length.

    A request that tells its length twice, as Content-Length and as chunks (Transfer-Encoding), may
    be read as one request by a proxy and as two by us, of which the second was smuggled past it.
    RFC 9112 (6.3) lets a server refuse it, with 400 and the end of the connection.
    """

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request):
            names = {name for name, _ in event.headers}
            if {b"content-length", b"transfer-encoding"} <= names:
                raise h11.RemoteProtocolError("both Content-Length and Transfer-Encoding")
        return event


class GuardedConfig(uvicorn.Config):
    """A configuration that knows the gate, for uvicorn hands it to every protocol."""

    def __init__(self, app: Any, gate: Gate, **rest: Any) -> None:
        self.gate = gate
        super().__init__(app, http=GuardedHttp, ws=GuardedSocket, **rest)


class GuardedHttp(H11Protocol):
    """HTTP whose headers and bodies come in time, and whose answers are read."""

    def __init__(self, config: uvicorn.Config, *given: Any, peer: str = "", **rest: Any) -> None:
        super().__init__(config, *given, **rest)
        self.conn = StrictConnection(h11.SERVER)
        self.gate = cast(GuardedConfig, config).gate
        limits = self.gate.limits
        self.peer = peer
        self._waited = Lag(limits.header_seconds)
        """For the header of a request."""
        self._lag = Lag(limits.body_seconds)
        """Of a body, behind the slowest rate."""
        self._rate = float(limits.body_rate)
        self._stall = Stall(limits.stall_seconds)
        self.gate.add(self)

    @property
    def idle(self) -> bool:
        made = self.transport is not None
        return made and (self.cycle is None or self.cycle.response_complete)

    def overdue(self, passed: float) -> bool:
        if self.transport is None:
            return False
        if self._stall.look(self.transport, passed):
            return True
        if self.idle:
            return self._waited.wait(passed)
        if self.conn.their_state is h11.SEND_BODY and not self.flow.read_paused:
            return self._lag.wait(passed)
        return False

    def abort(self) -> None:
        if self.transport is not None:
            reset(self.transport)

    def data_received(self, data: bytes) -> None:
        self._lag.progress(len(data) / self._rate)
        super().data_received(data)

    def handle_events(self) -> None:
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._expect_body()

    def _expect_body(self) -> None:
        """A whole header has come."""
        limits = self.gate.limits
        self._waited.seconds = self._lag.seconds = 0.0
        length = dict(self.headers).get(b"content-length", b"0")  # h11 has checked it
        self._rate = max(float(limits.body_rate), int(length) / MAX_BODY_S)

    def on_response_complete(self) -> None:
        self._waited.seconds = 0.0
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self.gate.remove(self)
        if self.transport is not None:  # it was made at all
            super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        address = client_address(self.peer, self.headers, self.gate.proxies)
        if wait := self.gate.handshake(address):
            self._refuse_handshake(wait)
            return
        self.gate.remove(self)
        super().handle_websocket_upgrade(event)

    def _refuse_handshake(self, wait: float) -> None:
        """Without asking the application: refusals must cost less than what they refuse."""
        error = too_often(wait)
        body = msgspec.json.encode({"error": error.text})
        headers = [
            ("content-type", "application/json"),
            ("content-length", str(len(body))),
            ("retry-after", str(error.wait)),
            ("connection", "close"),
        ]
        answer = h11.Response(status_code=429, headers=headers, reason=b"Too Many Requests")
        for part in (answer, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(part) or b"")
        self.transport.close()


class GuardedSocket(WebSocketsSansIOProtocol):
    """A WebSocket that is closed when it sends more than anybody needs to."""

    def __init__(self, config: uvicorn.Config, *given: Any, **rest: Any) -> None:
        super().__init__(config, *given, **rest)
        self.gate = cast(GuardedConfig, config).gate
        self.peer = ""
        self._mine = self._address = self.gate.frames()
        self._stall = Stall(self.gate.limits.stall_seconds)
        self._flooded = False

    idle = False

    def overdue(self, passed: float) -> bool:
        return self._stall.look(self.transport, passed)

    def abort(self) -> None:
        reset(self.transport)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.peer = self.client[0] if self.client else ""
        self.gate.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.gate.remove(self)
        super().connection_lost(exc)

    def handle_connect(self, event: Any) -> None:
        headers = [(n.lower().encode(), v.encode("latin-1")) for n, v in event.headers.raw_items()]
        self._address = self.gate.frames_of(client_address(self.peer, headers, self.gate.proxies))
        super().handle_connect(event)

    def data_received(self, data: bytes) -> None:
        """Bit by bit: a quarter of a megabyte may hold forty thousand frames."""
        for start in range(0, len(data), PARSED_AT_ONCE):
            if self._flooded or self.transport.is_closing():
                return
            piece = data[start : start + PARSED_AT_ONCE]
            super().data_received(piece)

    def handle_events(self) -> None:
        if self._allowed(len(self.conn.events)):
            super().handle_events()
        else:
            self._close_flooded()

    def _allowed(self, frames: int) -> bool:
        """Count frames; when an address sends too much, its busiest sockets are closed."""
        if self._mine.take(frames):
            return False
        heavy = self._mine.left < self._mine.burst / 2
        return not (self._address.take(frames) and heavy)

    async def send(self, message: Any) -> None:
        """The application hears of the end with what it receives next; until then it may talk."""
        if not self._flooded:
            await super().send(message)

    def _close_flooded(self) -> None:
        """What it sends from now on is read, so that our last word arrives, and thrown away."""
        self._flooded = True
        self.stop_keepalive()
        if not self.close_sent:
            self.conn.send_close(FLOODED, "too many messages")
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.close_sent = True
            self.queue.put_nowait({"type": "websocket.disconnect", "code": FLOODED})
        self.close_timer = self.loop.call_later(CLOSE_GRACE_S, self.transport.abort)
