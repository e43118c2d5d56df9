"""People and programs far away: WebSockets to the judger's table, in the judger's own loop.

A player connects to its token's address and sends ``connect``, then ``action`` with its answers;
what the logic says to the seat arrives as ``action`` too. Whoever loses the connection connects
again: what was said since the player's last action is said again, or, to a client that tells how
many messages it has ``received``, exactly what it missed. Spectators get the history at once, then
everything new.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import json
import secrets
import socket
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

from ludus.compat.saiblo.loop import READ, WRITE, Loop
from ludus.compat.saiblo.protocol import AiErrorKind
from ludus.compat.saiblo.seat import CRASHED, PERSON, JudgerSeat, SeatObserver
from ludus.errors import LudusError

MAX_MESSAGE_BYTES = 1 << 20
"""Bytes of one message of a player."""
MAX_UNSENT_BYTES = 16 << 20
"""Bytes that may wait for a connection that does not read."""
KEPT_HISTORY_BYTES = 64 << 20
"""Bytes kept of what was said to a seat, or to the spectators."""
HEARTBEAT_INTERVAL_S = 5.0
"""Seconds between two heartbeats."""
DISCONNECT_TIMEOUT_S = 60.0
"""Seconds after which a player without a connection counts as gone."""
MAX_CONNECTIONS = 500
"""Connections at once."""
HANDSHAKE_TIMEOUT_S = 10.0
"""Seconds in which a connection must have said where it wants to go, when somebody looks."""
MAX_UNSEATED_FRAMES = 500
"""Frames that a connection without a seat may send, pings too; then it is closed."""
MAX_MESSAGE_FRAMES = 1000
"""Frames of one message."""


class RemoteSeatMessage(msgspec.Struct):
    """What a client sends."""

    request: str
    token: str | None = None
    content: str | None = None
    received: int | None = None
    """With ``connect``: how many messages of the logic the client has seen."""


_decode_client_message = msgspec.json.Decoder(RemoteSeatMessage).decode


def encode_message(request: str, content: Any) -> str:
    return json.dumps({"request": request, "content": content})


def decode_token(token: str) -> str:
    """A token as an address, whether it was handed out plain or in base64."""
    if "/" in token and ":" in token:
        return token
    with contextlib.suppress(binascii.Error, UnicodeDecodeError):
        return base64.b64decode(token, validate=True).decode()
    return token


def encode_token(address: str) -> str:
    """An address as a token in base64."""
    return base64.b64encode(address.encode()).decode()


class WebSocketConnection:
    """One WebSocket."""

    def __init__(
        self, loop: Loop, sock: socket.socket, route: Callable[[WebSocketConnection], bool]
    ):
        self.path = ""
        self.on_open: Callable[[], None] = lambda: None
        """Called when it may be spoken to."""
        self.on_message: Callable[[str], None] = lambda text: None
        """Gets what is said."""
        self.close_callbacks: list[Callable[[], None]] = []
        """Called when it has gone."""
        self.has_seat = False
        """Whether a player speaks through it."""
        self.opened_at = time.monotonic()
        self._unseated_frames = 0
        self._loop, self._sock, self._route = loop, sock, route
        self._protocol = ServerProtocol(max_size=MAX_MESSAGE_BYTES)
        self._message: list[bytes] = []
        self._send_buffer = bytearray()
        self._shutdown_when_sent = False
        self._muted = False
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._fd = sock.fileno()
        loop.watch(self._fd, self._on_ready)

    def send(self, text: str) -> None:
        """Say something, unless the connection is gone."""
        if self._protocol.state is State.OPEN:
            self._protocol.send_text(text.encode())
            self._flush()

    def close(self) -> None:
        """Say good-bye; what was said before still arrives."""
        if self._protocol.state is State.OPEN:
            self._protocol.send_close(CloseCode.NORMAL_CLOSURE)
            self._flush()
        elif self._protocol.state is State.CONNECTING:
            self._drop()

    @property
    def is_open(self) -> bool:
        """Whether it has come to an address of this table."""
        return self._protocol.state is State.OPEN

    def set_muted(self, on: bool) -> None:
        """Leave what it says where it is for now, or hear it again."""
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
            self._drop()
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
            self._drop()

    def _is_flooding(self) -> bool:
        """Count a frame; close a connection that sends what nobody waits for."""
        self._unseated_frames = 0 if self.has_seat else self._unseated_frames + 1
        if (
            self._unseated_frames <= MAX_UNSEATED_FRAMES
            and len(self._message) <= MAX_MESSAGE_FRAMES
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
            self._message.append(bytes(event.data))
            if event.fin:
                said, self._message = b"".join(self._message), []
                self.on_message(said.decode(errors="replace"))

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            self._send_buffer += data
            self._shutdown_when_sent |= not data  # an empty one: nothing more will come
        if len(self._send_buffer) > MAX_UNSENT_BYTES:
            self._drop()
        elif self._fd >= 0:
            self._write()

    def _write(self) -> None:
        try:
            while self._send_buffer:
                del self._send_buffer[: self._sock.send(self._send_buffer)]
        except BlockingIOError:
            pass
        except OSError:
            self._drop()
            return
        if self._shutdown_when_sent and not self._send_buffer:
            with contextlib.suppress(OSError):
                self._sock.shutdown(socket.SHUT_WR)
            self._shutdown_when_sent = False
        self._update_events()

    def _drop(self) -> None:
        if self._fd < 0:
            return
        self._loop.unwatch(self._fd)
        self._fd = -1
        self._sock.close()
        for call in self.close_callbacks:
            call()

    def abort(self) -> None:
        """Leave nothing behind."""
        self._drop()


class RemoteSeat(JudgerSeat):
    """A seat whose player comes over a WebSocket."""

    kind = PERSON

    def __init__(self, place: Sequence[str], *, stays: bool, tells_loss: bool) -> None:
        """``place``: how its address ends, ``*`` for anything. ``stays``: a second client is sent
        away, as the original did; else it takes the seat. ``tells_loss``: the logic is told when
        the player is gone for good."""
        self.path_pattern = place
        self.on_arrival: Callable[[], None] = lambda: None
        """Called when a player takes the seat."""
        self._stays, self._tells_loss = stays, tells_loss
        self._connection: WebSocketConnection | None = None
        self._log: list[str] = []
        self._discarded_messages = 0
        """Messages at the beginning that are not kept any more."""
        self._log_bytes = 0
        self._messages_seen = 0
        """Messages that had been said when the player acted last."""
        self._actions = 0
        self._away_since = time.monotonic()
        self._loss_reported = False
        self._shutting_down = False
        self._held = False
        self._early_answers: list[str] = []

    @property
    def connected(self) -> bool:
        return self._connection is not None

    def matches_path(self, path: str) -> bool:
        """Whether an address leads here."""
        words = path.partition("?")[0].strip("/").split("/")
        ends = words[-len(self.path_pattern) :]
        return len(ends) == len(self.path_pattern) and all(
            wanted in ("*", word) for wanted, word in zip(self.path_pattern, ends, strict=True)
        )

    def attach(self, connection: WebSocketConnection) -> None:
        """A client has come to the seat's address; it takes the seat when it says so."""
        connection.on_message = lambda text: self._on_message(connection, text)

    def _on_message(self, connection: WebSocketConnection, text: str) -> None:
        try:
            said = _decode_client_message(text)
        except (msgspec.DecodeError, RecursionError):
            return
        if said.token is not None and not self.matches_path(decode_token(said.token)):
            return
        if said.request == "connect":
            self._take_seat(connection, said.received)
        elif connection is self._connection and said.request == "action":
            self._on_action(said.content or "")

    def _take_seat(self, connection: WebSocketConnection, received: int | None) -> None:
        before = self._connection
        if before is connection:
            return
        if self._shutting_down or (before is not None and self._stays):
            connection.close()
            return
        self._connection, connection.has_seat = connection, True
        connection.close_callbacks.append(lambda: self._on_close(connection))
        if before is not None:
            before.has_seat = False
            before.close()
        connection.set_muted(self._held)
        if received is not None:
            connection.send(encode_message("connected", self._actions))
        first = self._messages_seen if received is None else received
        for text in self._log[max(0, first - self._discarded_messages) :]:
            connection.send(encode_message("action", text))
        self.on_arrival()

    def _on_close(self, connection: WebSocketConnection) -> None:
        if connection is self._connection:
            self._connection = None
            self._away_since = time.monotonic()

    def _on_action(self, content: str) -> None:
        self._actions += 1
        self._messages_seen = self._discarded_messages + len(self._log)
        if self.observer is None:
            if len(self._early_answers) < MAX_UNSEATED_FRAMES:
                self._early_answers.append(content)
        else:
            self.observer.on_answer(self.number, content.encode(errors="replace"))

    def join(self, number: int, judge: SeatObserver) -> None:
        super().join(number, judge)
        for content in self._early_answers:
            judge.on_answer(number, content.encode(errors="replace"))

    def send(self, data: bytes) -> None:
        text = data.decode(errors="replace")
        self._log.append(text)
        self._log_bytes += len(text)
        while self._log_bytes > KEPT_HISTORY_BYTES and len(self._log) > 1:
            self._log_bytes -= len(self._log.pop(0))
            self._discarded_messages += 1
        if self._connection is not None:
            self._connection.send(encode_message("action", text))

    def send_time_left(self, milliseconds: int) -> None:
        """Tell the player how much time is left."""
        if self._connection is not None:
            self._connection.send(encode_message("time", milliseconds))

    def check_presence(self, now: float) -> None:
        """See whether the player has been away for too long."""
        away = self._connection is None and now - self._away_since > DISCONNECT_TIMEOUT_S
        if away and self._tells_loss and not self._loss_reported:
            self._loss_reported = True
            self.record_fault(CRASHED)
            if self.observer is not None:
                self.observer.on_error(self.number, AiErrorKind.RUN)

    def set_held(self, on: bool) -> None:
        self._held = on
        if self._connection is not None:
            self._connection.set_muted(on)

    def stop_reading(self) -> None:
        self.set_held(True)

    def shut_down(self) -> None:
        self._shutting_down = True
        if self._connection is not None:
            self._connection.close()

    @property
    def is_running(self) -> bool:
        return self._connection is not None

    def close(self) -> None:
        self._shutting_down = True
        if self._connection is not None:
            self._connection.abort()


class RemoteRoom:
    """Where people join a match: an address, the seats it leads to, the spectators."""

    def __init__(self, loop: Loop, match: str = "") -> None:
        self.match_id = match or secrets.token_hex(8)
        self.seats: list[RemoteSeat] = []
        self.port = 0
        """Where people connect."""
        self._loop = loop
        self._listeners: list[socket.socket] = []
        self._accepting_paused = False
        """Whether nobody is let in, for want of descriptors."""
        self._connections: set[WebSocketConnection] = set()
        self._spectators: set[WebSocketConnection] = set()
        self._spectator_history: list[str] = []
        self._spectator_history_bytes = 0
        self._next_heartbeat = 0.0

    def open(self, host: str, port: int) -> None:
        """Let people in; port 0 is any that is free."""
        try:
            family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            listener = socket.create_server(address[:2], family=family)
        except (OSError, OverflowError) as error:
            raise LudusError(
                f"cannot listen on {host}:{port}: {error}", f"无法监听 {host}:{port}：{error}"
            ) from None
        listener.setblocking(False)
        self._listeners.append(listener)
        self._loop.watch(listener.fileno(), lambda events: self._accept(listener))
        self.port = listener.getsockname()[1]

    def create_seat(self, number: int) -> RemoteSeat:
        """A seat for a player of version 2. Its address holds a secret: who knows it may sit."""
        key = f"{self.match_id}-{secrets.token_urlsafe(9)}"
        return self.add_seat(RemoteSeat((key, str(number)), stays=False, tells_loss=True))

    def add_seat(self, seat: RemoteSeat) -> RemoteSeat:
        self.seats.append(seat)
        return seat

    def remove(self, seat: RemoteSeat) -> None:
        self.seats.remove(seat)
        seat.shut_down()

    def _accept(self, listener: socket.socket) -> None:
        try:
            sock, _ = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        except OSError:  # no descriptors left: another try now would fail as well
            if not self._drop_oldest_handshake():
                self._pause_accepting(True)
            return
        if len(self._connections) >= MAX_CONNECTIONS and not self._drop_oldest_handshake():
            sock.close()
            return
        connection = WebSocketConnection(self._loop, sock, self._route)
        self._connections.add(connection)
        connection.close_callbacks.append(lambda: self._remove_connection(connection))

    def _drop_oldest_handshake(self) -> bool:
        """Send away whoever has been silent longest since it came."""
        silent = [connection for connection in self._connections if not connection.is_open]
        if silent:
            min(silent, key=lambda connection: connection.opened_at).abort()
        return bool(silent)

    def _pause_accepting(self, on: bool) -> None:
        """Let nobody in until somebody has left, or again."""
        if on != self._accepting_paused:
            self._accepting_paused = on
            for listener in self._listeners:
                self._loop.set_events(listener.fileno(), 0 if on else READ)

    def _route(self, connection: WebSocketConnection) -> bool:
        for seat in self.seats:
            if seat.matches_path(connection.path):
                seat.attach(connection)
                return True
        if connection.path.rpartition("/")[2] == f"_{self.match_id}":
            connection.on_open = lambda: self._add_spectator(connection)
            return True
        return False

    def _add_spectator(self, connection: WebSocketConnection) -> None:
        connection.send(encode_message("history", self._spectator_history))
        self._spectators.add(connection)

    def _remove_connection(self, connection: WebSocketConnection) -> None:
        self._connections.discard(connection)
        self._spectators.discard(connection)
        self._pause_accepting(False)

    def show(self, text: str) -> None:
        """What the logic says to the spectators."""
        self._spectator_history.append(text)
        self._spectator_history_bytes += len(text)
        while (
            self._spectator_history_bytes > KEPT_HISTORY_BYTES and len(self._spectator_history) > 1
        ):
            self._spectator_history_bytes -= len(self._spectator_history.pop(0))
        for connection in list(self._spectators):
            connection.send(encode_message("watch", text))

    def tick(self, now: float, listened: Sequence[int], left: float | None) -> float:
        for seat in self.seats:
            seat.check_presence(now)
        for connection in list(self._connections):
            if not connection.is_open and now - connection.opened_at > HANDSHAKE_TIMEOUT_S:
                connection.abort()
        self._pause_accepting(False)
        if left is not None and now >= self._next_heartbeat:
            for seat in self.seats:
                if seat.observer is not None and seat.number in listened:
                    seat.send_time_left(int(1000 * left))
        self._next_heartbeat = now + HEARTBEAT_INTERVAL_S
        return self._next_heartbeat

    def close(self) -> None:
        """Everybody out."""
        listeners, self._listeners = self._listeners, []
        for listener in listeners:
            self._loop.unwatch(listener.fileno())
            listener.close()
        for connection in list(self._connections):
            connection.abort()
