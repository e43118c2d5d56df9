"""One WebSocket in the judger's own poll loop.

The library's sans-I/O protocol does the framing; bytes are read and written here without blocking.
Clients are strangers, so everything is limited: the size of a message and of its
fragments, what may wait for a client that does not read, and what a client without a seat may send.
"""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable
from typing import Any

from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

from ludus.compat.saiblo.loop import READ, WRITE, Loop

MAX_MESSAGE_BYTES = 1 << 20
"""Bytes of one message of a client."""
MAX_UNSENT_BYTES = 16 << 20
"""Bytes that may wait for a client that does not read."""
MAX_UNSEATED_FRAMES = 500
"""Frames, pings included, that a client without a seat may send before it is disconnected."""
MAX_MESSAGE_FRAMES = 1000
"""Frames of one message."""


class WebSocketConnection:
    """One WebSocket.

    ``route`` is called when the client has sent its request, with ``path`` set; it installs the
    callbacks and returns whether the path exists.
    """

    def __init__(
        self, loop: Loop, sock: socket.socket, route: Callable[[WebSocketConnection], bool]
    ):
        self.path = ""
        self.on_open: Callable[[], None] = lambda: None
        """Called when messages may be sent."""
        self.on_message: Callable[[str], None] = lambda text: None
        """Called with every message of the client."""
        self.close_callbacks: list[Callable[[], None]] = []
        """Called when the connection is gone."""
        self.has_seat = False
        """Whether a player sits at the other end."""
        self.opened_at = time.monotonic()
        self._unseated_frames = 0
        self._loop, self._sock, self._route = loop, sock, route
        self._protocol = ServerProtocol(max_size=MAX_MESSAGE_BYTES)
        self._fragments: list[bytes] = []
        self._send_buffer = bytearray()
        self._shutdown_when_sent = False
        self._muted = False
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._fd = sock.fileno()
        loop.watch(self._fd, self._on_ready)

    def send(self, text: str) -> None:
        """Send a message, unless the connection is gone."""
        if self._protocol.state is State.OPEN:
            self._protocol.send_text(text.encode())
            self._flush()

    def close(self) -> None:
        """Close it after everything that was sent has arrived."""
        if self._protocol.state is State.OPEN:
            self._protocol.send_close(CloseCode.NORMAL_CLOSURE)
            self._flush()
        elif self._protocol.state is State.CONNECTING:
            self.abort()

    @property
    def is_open(self) -> bool:
        """Whether the handshake is done."""
        return self._protocol.state is State.OPEN

    def set_muted(self, on: bool) -> None:
        """Leave what the client sends in the socket for the time being, or read it again."""
        if self._fd >= 0 and on != self._muted:
            self._muted = on
            self._update_events()

    def _update_events(self) -> None:
        reading = 0 if self._muted else READ
        self._loop.set_events(self._fd, reading | (WRITE if self._send_buffer else 0))

    def _on_ready(self, events: int) -> None:
        if events & WRITE:
            self._write()
        if self._fd >= 0 and events & ~WRITE:
            self._on_data()

    def _on_data(self) -> None:
        try:
            data = self._sock.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            self.abort()
            return
        if data:
            self._protocol.receive_data(data)
        else:
            self._protocol.receive_eof()
        for event in self._protocol.events_received():
            if self._is_flooding():
                break
            self._on_event(event)
        self._flush()
        if not data or self._protocol.state is State.CLOSED:
            self.abort()

    def _is_flooding(self) -> bool:
        """Count a frame, and disconnect a client that sends too many."""
        self._unseated_frames = 0 if self.has_seat else self._unseated_frames + 1
        if (
            self._unseated_frames <= MAX_UNSEATED_FRAMES
            and len(self._fragments) <= MAX_MESSAGE_FRAMES
        ):
            return False
        if self._protocol.state is State.OPEN:
            self._protocol.fail(CloseCode.POLICY_VIOLATION, "too many messages")
        return True

    def _on_event(self, event: Any) -> None:
        if isinstance(event, Request):
            self.path = event.path
            if self._route(self):
                response = self._protocol.accept(event)
            else:
                response = self._protocol.reject(404, "There is no such seat.\n")
            self._protocol.send_response(response)
            self.on_open()
        elif isinstance(event, Frame) and event.opcode in (Opcode.TEXT, Opcode.CONT):
            self._fragments.append(bytes(event.data))
            if event.fin:
                message, self._fragments = b"".join(self._fragments), []
                self.on_message(message.decode(errors="replace"))

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            self._send_buffer += data
            self._shutdown_when_sent |= not data  # empty: the library wants the stream to end
        if len(self._send_buffer) > MAX_UNSENT_BYTES:
            self.abort()
        elif self._fd >= 0:
            self._write()

    def _write(self) -> None:
        try:
            while self._send_buffer:
                del self._send_buffer[: self._sock.send(self._send_buffer)]
        except BlockingIOError:
            pass
        except OSError:
            self.abort()
            return
        if self._shutdown_when_sent and not self._send_buffer:
            with contextlib.suppress(OSError):
                self._sock.shutdown(socket.SHUT_WR)
            self._shutdown_when_sent = False
        self._update_events()

    def abort(self) -> None:
        """Close it at once."""
        if self._fd < 0:
            return
        self._loop.unwatch(self._fd)
        self._fd = -1
        self._sock.close()
        for callback in self.close_callbacks:
            callback()
