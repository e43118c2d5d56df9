"""uvicorn's protocols with limits on slow requests and flooding sockets."""

from __future__ import annotations

import asyncio
import http
import re
from typing import Any, NoReturn, cast

import h11
import msgspec
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from ludus.server.web.addresses import client_address
from ludus.server.web.connections import (
    ConnectionLimiter,
    LagCounter,
    StallDetector,
    reset_connection,
)
from ludus.server.web.errors import RequestError, UnreadableRequest
from ludus.server.web.traffic_limits import too_many_requests

MAX_BODY_S = 600.0
"""Seconds in which the largest body must arrive, since it occupies memory meanwhile."""
PARSE_CHUNK_BYTES = 2048
"""Bytes of a WebSocket that are parsed before their frames are counted."""
FLOODED_CLOSE_CODE = 1008
"""The close code for a WebSocket that sends too much."""
CLOSE_GRACE_S = 1.0
"""Seconds that its client has to read the reason."""
MAX_HEAD_BYTES = 16 << 10
"""The most bytes of a request line and headers."""
MAX_METHOD_CHARS = 20
"""The most letters of a request's method."""
HTTP_VERSIONS = (b"1.0", b"1.1")
HEADER_TOO_LONG_STATUS = 431
HEAD_END_PATTERN = re.compile(rb"\n\r?\n")
AMBIGUOUS_LINE_PATTERN = re.compile(rb"(?<!\r)\n|\n[ \t]")
"""A line feed without its carriage return, or a line that continues the one before it."""
NOT_HTTP = UnreadableRequest(
    "this is not a clear HTTP request", "这不是明确的 HTTP 请求", status=400
)
UNSUPPORTED_VERSION = UnreadableRequest(
    "only HTTP/1.1 is spoken here",
    "此处只支持 HTTP/1.1",
    status=505,
    code="unsupported_http_version",
)
UNKNOWN_METHOD = UnreadableRequest(
    "there is no such method", "没有这种请求方法", status=501, code="unknown_method"
)
LONG_ADDRESS = UnreadableRequest(
    "the address is too long", "地址过长", status=414, code="address_too_long"
)
LONG_HEADER = UnreadableRequest(
    "the headers are too long", "请求头过长", status=HEADER_TOO_LONG_STATUS, code="headers_too_long"
)


class StrictHttpConnection(h11.Connection):
    """HTTP/1.1 that can be read in one way only, with short headers.

    A request that states its length twice, as Content-Length and as chunks (Transfer-Encoding), may
    be one request to a proxy and two to us, the second of which was smuggled past the proxy. The
    same is true of header lines continued on the next line (obsolete folding), and of lines that
    end without a carriage return. RFC 9112 (2.2, 5.2, 6.3) lets a server refuse each of them, with
    400 and the end of the connection. h11 limits headers only while they are incomplete, so
    complete ones are measured here.
    """

    refusal: RequestError = NOT_HTTP
    """Why a request is refused, once ``next_event`` has raised."""

    def next_event(self) -> Any:
        before = self.trailing_data[0] if self.their_state is h11.IDLE else b""
        try:
            event = super().next_event()
        except h11.RemoteProtocolError as error:
            if error.error_status_hint == HEADER_TOO_LONG_STATUS:
                self._refuse(self._too_long_refusal(before))
            raise
        if isinstance(event, h11.Request):
            self._check_head(before[: HEAD_END_PATTERN.search(before).end()], event)  # type: ignore[union-attr]
        return event

    def _check_head(self, head: bytes, event: h11.Request) -> None:
        names = {name for name, _ in event.headers}
        if len(head) > MAX_HEAD_BYTES:
            self._refuse(self._too_long_refusal(head))
        if (
            AMBIGUOUS_LINE_PATTERN.search(head)
            or {b"content-length", b"transfer-encoding"} <= names
        ):
            self._refuse(NOT_HTTP)
        if event.http_version not in HTTP_VERSIONS:
            self._refuse(UNSUPPORTED_VERSION)
        if len(event.method) > MAX_METHOD_CHARS:
            self._refuse(UNKNOWN_METHOD)

    def _too_long_refusal(self, head: bytes) -> RequestError:
        target = head.find(b"\n") if b"\n" in head else len(head)
        return LONG_ADDRESS if target > MAX_HEAD_BYTES else LONG_HEADER

    def _refuse(self, why: RequestError) -> NoReturn:
        self.refusal = why
        raise h11.RemoteProtocolError(why.text["en"])


class LimitedServerConfig(uvicorn.Config):
    """A configuration that carries the connection limiter to every protocol that uvicorn
    creates."""

    def __init__(self, app: Any, gate: ConnectionLimiter, **rest: Any) -> None:
        self.limiter = gate
        super().__init__(app, http=LimitedHttpProtocol, ws=LimitedWebSocketProtocol, **rest)


class LimitedHttpProtocol(H11Protocol):
    """HTTP with deadlines for headers, bodies and reading responses."""

    def __init__(self, config: uvicorn.Config, *given: Any, peer: str = "", **rest: Any) -> None:
        super().__init__(config, *given, **rest)
        self.conn = StrictHttpConnection(h11.SERVER, MAX_HEAD_BYTES)
        self.limiter = cast(LimitedServerConfig, config).limiter
        limits = self.limiter.limits
        self.peer = peer
        self._header_lag = LagCounter(limits.header_seconds)
        """Measures the header's delay."""
        self._body_lag = LagCounter(limits.body_seconds)
        """Measures how far a body is behind the slowest allowed rate."""
        self._min_body_rate = float(limits.body_rate)
        self._stall = StallDetector(limits.stall_seconds)
        self.limiter.add(self)

    @property
    def idle(self) -> bool:
        made = self.transport is not None
        return made and (self.cycle is None or self.cycle.response_complete)

    def is_overdue(self, passed: float) -> bool:
        if self.transport is None:
            return False
        if self._stall.check(self.transport, passed):
            return True
        if self.idle:
            return self._header_lag.add_delay(passed)
        if self.conn.their_state is h11.SEND_BODY and not self.flow.read_paused:
            return self._body_lag.add_delay(passed)
        return False

    def abort(self) -> None:
        if self.transport is not None:
            reset_connection(self.transport)

    def data_received(self, data: bytes) -> None:
        self._body_lag.add_progress(len(data) / self._min_body_rate)
        super().data_received(data)

    def handle_events(self) -> None:
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._expect_body()

    def _expect_body(self) -> None:
        """Start measuring the body, after a complete header."""
        limits = self.limiter.limits
        self._header_lag.seconds = self._body_lag.seconds = 0.0
        length = dict(self.headers).get(b"content-length", b"0")  # checked by h11
        self._min_body_rate = max(float(limits.body_rate), int(length) / MAX_BODY_S)

    def on_response_complete(self) -> None:
        self._header_lag.seconds = 0.0
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self.limiter.remove(self)
        if self.transport is not None:  # the connection was established
            super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        address = client_address(self.peer, self.headers, self.limiter.proxies)
        if wait := self.limiter.take_handshake(address):
            self._refuse_handshake(wait)
            return
        self.limiter.remove(self)
        super().handle_websocket_upgrade(event)

    def _refuse_handshake(self, wait: float) -> None:
        """Refuse without calling the application: a refusal must cost less than what it refuses."""
        error = too_many_requests(wait)
        self._send_error(error, ("retry-after", str(error.wait)))

    def send_400_response(self, msg: str) -> None:
        """Answer a request that cannot be read, with the reason."""
        self._send_error(cast(StrictHttpConnection, self.conn).refusal)

    def _send_error(self, error: RequestError, *more: tuple[str, str]) -> None:
        """Send an error response and close the connection."""
        body = msgspec.json.encode({"error": error.as_json()})
        headers = [
            ("content-type", "application/json"),
            ("content-length", str(len(body))),
            ("connection", "close"),
            *more,
        ]
        reason = http.HTTPStatus(error.status).phrase.encode()
        answer = h11.Response(status_code=error.status, headers=headers, reason=reason)
        for part in (answer, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(part) or b"")
        self.transport.close()


class LimitedWebSocketProtocol(WebSocketsSansIOProtocol):
    """A WebSocket that is closed when it sends too much."""

    def __init__(self, config: uvicorn.Config, *given: Any, **rest: Any) -> None:
        super().__init__(config, *given, **rest)
        self.limiter = cast(LimitedServerConfig, config).limiter
        self.peer = ""
        self._frame_bucket = self._address_bucket = self.limiter.create_frame_bucket()
        self._stall = StallDetector(self.limiter.limits.stall_seconds)
        self._flooded = False

    idle = False

    def is_overdue(self, passed: float) -> bool:
        return self._stall.check(self.transport, passed)

    def abort(self) -> None:
        reset_connection(self.transport)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.peer = self.client[0] if self.client else ""
        self.limiter.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.limiter.remove(self)
        super().connection_lost(exc)

    def handle_connect(self, event: Any) -> None:
        headers = [(n.lower().encode(), v.encode("latin-1")) for n, v in event.headers.raw_items()]
        self._address_bucket = self.limiter.address_frame_bucket(
            client_address(self.peer, headers, self.limiter.proxies)
        )
        super().handle_connect(event)

    def data_received(self, data: bytes) -> None:
        """Parse in small pieces: a quarter of a megabyte may contain forty thousand frames."""
        for start in range(0, len(data), PARSE_CHUNK_BYTES):
            if self._flooded or self.transport.is_closing():
                return
            piece = data[start : start + PARSE_CHUNK_BYTES]
            super().data_received(piece)

    def handle_events(self) -> None:
        if self._take_frames(len(self.conn.events)):
            super().handle_events()
        else:
            self._close_flooded()

    def _take_frames(self, frames: int) -> bool:
        """Count frames; when an address sends too many, its busiest sockets are closed."""
        if self._frame_bucket.take(frames):
            return False
        heavy = self._frame_bucket.left < self._frame_bucket.burst / 2
        return not (self._address_bucket.take(frames) and heavy)

    async def send(self, message: Any) -> None:
        """Drop messages after the close: the application learns of it with its next receive."""
        if not self._flooded:
            await super().send(message)

    def _close_flooded(self) -> None:
        """Close the socket; further data is read and discarded, so that the close frame arrives."""
        self._flooded = True
        self.stop_keepalive()
        if not self.close_sent:
            self.conn.send_close(FLOODED_CLOSE_CODE, "too many messages")
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.close_sent = True
            self.queue.put_nowait({"type": "websocket.disconnect", "code": FLOODED_CLOSE_CODE})
        self.close_timer = self.loop.call_later(CLOSE_GRACE_S, self.transport.abort)
