"""Where people join a match: a listening socket, the seats it leads to, and the spectators.

Spectators get the history when they connect, then everything new.
"""

from __future__ import annotations

import secrets
import socket
from collections.abc import Sequence

from ludus.compat.saiblo.loop import READ, Loop
from ludus.compat.saiblo.remote_seat import KEPT_HISTORY_BYTES, RemoteSeat, encode_message
from ludus.compat.saiblo.websocket_connection import WebSocketConnection
from ludus.errors import LudusError
from ludus.os_errors import describe_os_error

HEARTBEAT_INTERVAL_S = 5.0
"""Seconds between two messages about the time that is left."""
MAX_CONNECTIONS = 500
"""Connections at the same time."""
HANDSHAKE_TIMEOUT_S = 10.0
"""Seconds within which a client must have sent its request; looked at with each heartbeat."""


class RemoteRoom:
    """The people of one match. It is the match's ``SpectatorFeed``."""

    def __init__(self, loop: Loop, match_id: str = "") -> None:
        self.match_id = match_id or secrets.token_hex(8)
        self.seats: list[RemoteSeat] = []
        self.port = 0
        """The port where people connect."""
        self._loop = loop
        self._listeners: list[socket.socket] = []
        self._accepting_paused = False
        """Whether new connections wait because there are no file descriptors left."""
        self._connections: set[WebSocketConnection] = set()
        self._spectators: set[WebSocketConnection] = set()
        self._spectator_history: list[str] = []
        self._spectator_history_bytes = 0
        self._next_heartbeat = 0.0

    def open(self, host: str, port: int) -> None:
        """Listen for connections; port 0 means any free port."""
        try:
            family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            listener = socket.create_server(address[:2], family=family)
        except (OSError, OverflowError) as error:
            why = describe_os_error(error)
            raise LudusError(
                f"cannot listen on {host}:{port}: {why.en}", f"无法监听 {host}:{port}：{why.zh}"
            ) from None
        listener.setblocking(False)
        self._listeners.append(listener)
        self._loop.watch(listener.fileno(), lambda events: self._accept(listener))
        self.port = listener.getsockname()[1]

    def create_seat(self, number: int) -> RemoteSeat:
        """Add a seat for a player of version 2. Its address holds a secret: whoever knows it may
        take the seat."""
        key = f"{self.match_id}-{secrets.token_urlsafe(9)}"
        return self.add_seat(
            RemoteSeat((key, str(number)), keeps_first_client=False, reports_loss=True)
        )

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
        except OSError:  # no file descriptors left: trying again at once would fail too
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
        """Disconnect the client that has waited longest without sending its request, if any."""
        unopened = [connection for connection in self._connections if not connection.is_open]
        if unopened:
            min(unopened, key=lambda connection: connection.opened_at).abort()
        return bool(unopened)

    def _pause_accepting(self, on: bool) -> None:
        """Leave new connections in the queue until another one is closed, or accept them again."""
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
        """Send a text of the logic to the spectators, and keep it for later ones."""
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
        """Stop listening, and disconnect everybody."""
        listeners, self._listeners = self._listeners, []
        for listener in listeners:
            self._loop.unwatch(listener.fileno())
            listener.close()
        for connection in list(self._connections):
            connection.abort()
