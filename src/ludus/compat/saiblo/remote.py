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
from ludus.compat.saiblo.protocol import Trouble
from ludus.compat.saiblo.seat import CRASHED, PERSON, Judge, Seat
from ludus.errors import LudusError

LARGEST = 1 << 20
"""Bytes of one message of a player."""
BACKLOG = 16 << 20
"""Bytes that may wait for a connection that does not read."""
KEPT = 64 << 20
"""Bytes kept of what was said to a seat, or to the spectators."""
BEAT = 5.0
"""Seconds between two heartbeats."""
AWAY = 60.0
"""Seconds after which a player without a connection counts as gone."""
CROWD = 500
"""Connections at once."""
HANDSHAKE = 10.0
"""Seconds in which a connection must have said where it wants to go, when somebody looks."""
UNHEARD = 500
"""Frames that a connection without a seat may send, pings too; then it is closed."""
FRAGMENTS = 1000
"""Frames of one message."""


class Said(msgspec.Struct):
    """What a client sends."""

    request: str
    token: str | None = None
    content: str | None = None
    received: int | None = None
    """With ``connect``: how many messages of the logic the client has seen."""


_read = msgspec.json.Decoder(Said).decode


def text_of(request: str, content: Any) -> str:
    return json.dumps({"request": request, "content": content})


def plain(token: str) -> str:
    """A token as an address, whether it was handed out plain or in base64."""
    if "/" in token and ":" in token:
        return token
    with contextlib.suppress(binascii.Error, UnicodeDecodeError):
        return base64.b64decode(token, validate=True).decode()
    return token


def coded(address: str) -> str:
    """An address as a token in base64."""
    return base64.b64encode(address.encode()).decode()


class Connection:
    """One WebSocket."""

    def __init__(self, loop: Loop, sock: socket.socket, route: Callable[[Connection], bool]):
        self.path = ""
        self.opened: Callable[[], None] = lambda: None
        """Called when it may be spoken to."""
        self.hear: Callable[[str], None] = lambda text: None
        """Gets what is said."""
        self.lost: list[Callable[[], None]] = []
        """Called when it has gone."""
        self.seated = False
        """Whether a player speaks through it."""
        self.born = time.monotonic()
        self._unheard = 0
        self._loop, self._sock, self._route = loop, sock, route
        self._protocol = ServerProtocol(max_size=LARGEST)
        self._message: list[bytes] = []
        self._out = bytearray()
        self._last = False
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
    def settled(self) -> bool:
        """Whether it has come to an address of this table."""
        return self._protocol.state is State.OPEN

    def mute(self, on: bool) -> None:
        """Leave what it says where it is for now, or hear it again."""
        if self._fd >= 0 and on != self._muted:
            self._muted = on
            self._wait()

    def _wait(self) -> None:
        reading = 0 if self._muted else READ
        self._loop.change(self._fd, reading | (WRITE if self._out else 0))

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
            if self._flooding():
                break
            self._on_event(event)
        self._flush()
        if not data or self._protocol.state is State.CLOSED:
            self._drop()

    def _flooding(self) -> bool:
        """Count a frame; close a connection that sends what nobody waits for."""
        self._unheard = 0 if self.seated else self._unheard + 1
        if self._unheard <= UNHEARD and len(self._message) <= FRAGMENTS:
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
            self.opened()
        elif isinstance(event, Frame) and event.opcode in (Opcode.TEXT, Opcode.CONT):
            self._message.append(bytes(event.data))
            if event.fin:
                said, self._message = b"".join(self._message), []
                self.hear(said.decode(errors="replace"))

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            self._out += data
            self._last |= not data  # an empty one: nothing more will come
        if len(self._out) > BACKLOG:
            self._drop()
        elif self._fd >= 0:
            self._write()

    def _write(self) -> None:
        try:
            while self._out:
                del self._out[: self._sock.send(self._out)]
        except BlockingIOError:
            pass
        except OSError:
            self._drop()
            return
        if self._last and not self._out:
            with contextlib.suppress(OSError):
                self._sock.shutdown(socket.SHUT_WR)
            self._last = False
        self._wait()

    def _drop(self) -> None:
        if self._fd < 0:
            return
        self._loop.forget(self._fd)
        self._fd = -1
        self._sock.close()
        for call in self.lost:
            call()

    def abandon(self) -> None:
        """Leave nothing behind."""
        self._drop()


class RemoteSeat(Seat):
    """A seat whose player comes over a WebSocket."""

    kind = PERSON

    def __init__(self, place: Sequence[str], *, stays: bool, tells_loss: bool) -> None:
        """``place``: how its address ends, ``*`` for anything. ``stays``: a second client is sent
        away, as the original did; else it takes the seat. ``tells_loss``: the logic is told when
        the player is gone for good."""
        self.place = place
        self.arrived: Callable[[], None] = lambda: None
        """Called when a player takes the seat."""
        self._stays, self._tells_loss = stays, tells_loss
        self._connection: Connection | None = None
        self._log: list[str] = []
        self._forgotten = 0
        """Messages at the beginning that are not kept any more."""
        self._size = 0
        self._seen = 0
        """Messages that had been said when the player acted last."""
        self._actions = 0
        self._away_since = time.monotonic()
        self._gone = False
        self._dismissed = False
        self._held = False
        self._early: list[str] = []

    @property
    def connected(self) -> bool:
        return self._connection is not None

    def fits(self, path: str) -> bool:
        """Whether an address leads here."""
        words = path.partition("?")[0].strip("/").split("/")
        ends = words[-len(self.place) :]
        return len(ends) == len(self.place) and all(
            wanted in ("*", word) for wanted, word in zip(self.place, ends, strict=True)
        )

    def welcome(self, connection: Connection) -> None:
        """A client has come to the seat's address; it takes the seat when it says so."""
        connection.hear = lambda text: self._hear(connection, text)

    def _hear(self, connection: Connection, text: str) -> None:
        try:
            said = _read(text)
        except (msgspec.DecodeError, RecursionError):
            return
        if said.token is not None and not self.fits(plain(said.token)):
            return
        if said.request == "connect":
            self._connect(connection, said.received)
        elif connection is self._connection and said.request == "action":
            self._act(said.content or "")

    def _connect(self, connection: Connection, received: int | None) -> None:
        before = self._connection
        if before is connection:
            return
        if self._dismissed or (before is not None and self._stays):
            connection.close()
            return
        self._connection, connection.seated = connection, True
        connection.lost.append(lambda: self._lost(connection))
        if before is not None:
            before.seated = False
            before.close()
        connection.mute(self._held)
        if received is not None:
            connection.send(text_of("connected", self._actions))
        first = self._seen if received is None else received
        for text in self._log[max(0, first - self._forgotten) :]:
            connection.send(text_of("action", text))
        self.arrived()

    def _lost(self, connection: Connection) -> None:
        if connection is self._connection:
            self._connection = None
            self._away_since = time.monotonic()

    def _act(self, content: str) -> None:
        self._actions += 1
        self._seen = self._forgotten + len(self._log)
        if self.judge is None:
            if len(self._early) < UNHEARD:
                self._early.append(content)
        else:
            self.judge.answered(self.number, content.encode(errors="replace"))

    def join(self, number: int, judge: Judge) -> None:
        super().join(number, judge)
        for content in self._early:
            judge.answered(number, content.encode(errors="replace"))

    def send(self, data: bytes) -> None:
        text = data.decode(errors="replace")
        self._log.append(text)
        self._size += len(text)
        while self._size > KEPT and len(self._log) > 1:
            self._size -= len(self._log.pop(0))
            self._forgotten += 1
        if self._connection is not None:
            self._connection.send(text_of("action", text))

    def beat(self, milliseconds: int) -> None:
        """Tell the player how much time is left."""
        if self._connection is not None:
            self._connection.send(text_of("time", milliseconds))

    def look(self, now: float) -> None:
        """See whether the player has been away for too long."""
        away = self._connection is None and now - self._away_since > AWAY
        if away and self._tells_loss and not self._gone:
            self._gone = True
            self.blame(CRASHED)
            if self.judge is not None:
                self.judge.troubled(self.number, Trouble.RUN)

    def hold(self, on: bool) -> None:
        self._held = on
        if self._connection is not None:
            self._connection.mute(on)

    def deafen(self) -> None:
        self.hold(True)

    def dismiss(self) -> None:
        self._dismissed = True
        if self._connection is not None:
            self._connection.close()

    @property
    def present(self) -> bool:
        return self._connection is not None

    def close(self) -> None:
        self._dismissed = True
        if self._connection is not None:
            self._connection.abandon()


class Room:
    """Where people join a match: an address, the seats it leads to, the spectators."""

    def __init__(self, loop: Loop, match: str = "") -> None:
        self.match = match or secrets.token_hex(8)
        self.seats: list[RemoteSeat] = []
        self.port = 0
        """Where people connect."""
        self._loop = loop
        self._listeners: list[socket.socket] = []
        self._resting = False
        """Whether nobody is let in, for want of descriptors."""
        self._connections: set[Connection] = set()
        self._spectators: set[Connection] = set()
        self._shown: list[str] = []
        self._shown_bytes = 0
        self._next_beat = 0.0

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
        self._loop.watch(listener.fileno(), lambda events: self._let_in(listener))
        self.port = listener.getsockname()[1]

    def seat(self, number: int) -> RemoteSeat:
        """A seat for a player of version 2. Its address holds a secret: who knows it may sit."""
        key = f"{self.match}-{secrets.token_urlsafe(9)}"
        return self.place(RemoteSeat((key, str(number)), stays=False, tells_loss=True))

    def place(self, seat: RemoteSeat) -> RemoteSeat:
        self.seats.append(seat)
        return seat

    def remove(self, seat: RemoteSeat) -> None:
        self.seats.remove(seat)
        seat.dismiss()

    def _let_in(self, listener: socket.socket) -> None:
        try:
            sock, _ = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        except OSError:  # no descriptors left: another try now would fail as well
            if not self._make_place():
                self._rest(True)
            return
        if len(self._connections) >= CROWD and not self._make_place():
            sock.close()
            return
        connection = Connection(self._loop, sock, self._route)
        self._connections.add(connection)
        connection.lost.append(lambda: self._leave(connection))

    def _make_place(self) -> bool:
        """Send away whoever has been silent longest since it came."""
        silent = [connection for connection in self._connections if not connection.settled]
        if silent:
            min(silent, key=lambda connection: connection.born).abandon()
        return bool(silent)

    def _rest(self, on: bool) -> None:
        """Let nobody in until somebody has left, or again."""
        if on != self._resting:
            self._resting = on
            for listener in self._listeners:
                self._loop.change(listener.fileno(), 0 if on else READ)

    def _route(self, connection: Connection) -> bool:
        for seat in self.seats:
            if seat.fits(connection.path):
                seat.welcome(connection)
                return True
        if connection.path.rpartition("/")[2] == f"_{self.match}":
            connection.opened = lambda: self._seat_spectator(connection)
            return True
        return False

    def _seat_spectator(self, connection: Connection) -> None:
        connection.send(text_of("history", self._shown))
        self._spectators.add(connection)

    def _leave(self, connection: Connection) -> None:
        self._connections.discard(connection)
        self._spectators.discard(connection)
        self._rest(False)

    def show(self, text: str) -> None:
        """What the logic says to the spectators."""
        self._shown.append(text)
        self._shown_bytes += len(text)
        while self._shown_bytes > KEPT and len(self._shown) > 1:
            self._shown_bytes -= len(self._shown.pop(0))
        for connection in list(self._spectators):
            connection.send(text_of("watch", text))

    def tick(self, now: float, listened: Sequence[int], left: float | None) -> float:
        for seat in self.seats:
            seat.look(now)
        for connection in list(self._connections):
            if not connection.settled and now - connection.born > HANDSHAKE:
                connection.abandon()
        self._rest(False)
        if left is not None and now >= self._next_beat:
            for seat in self.seats:
                if seat.judge is not None and seat.number in listened:
                    seat.beat(int(1000 * left))
        self._next_beat = now + BEAT
        return self._next_beat

    def close(self) -> None:
        """Everybody out."""
        listeners, self._listeners = self._listeners, []
        for listener in listeners:
            self._loop.forget(listener.fileno())
            listener.close()
        for connection in list(self._connections):
            connection.abandon()
