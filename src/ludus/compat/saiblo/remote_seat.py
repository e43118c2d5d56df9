"""A seat whose player, a person or a program, is connected over a WebSocket.

A player connects to its token's address and sends ``connect``, then ``action`` with each answer;
what the logic sends to the seat arrives as ``action`` too. A player who loses the connection
connects again. It is then sent what came since its last action, or, if it says how many messages it
has ``received``, exactly what it missed.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import json
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from ludus.compat.saiblo.seat import CRASHED, PERSON, JudgerSeat, SeatObserver
from ludus.compat.saiblo.versions import AiErrorKind
from ludus.compat.saiblo.websocket_connection import MAX_UNSEATED_FRAMES, WebSocketConnection

KEPT_HISTORY_BYTES = 64 << 20
"""Bytes kept of what was sent to a seat."""
DISCONNECT_TIMEOUT_S = 60.0
"""Seconds after which a player without a connection counts as gone."""


class RemoteSeatMessage(msgspec.Struct):
    """A message of a client."""

    request: str
    """``connect`` or ``action``; anything else is ignored."""
    token: str | None = None
    content: str | None = None
    received: int | None = None
    """With ``connect``: how many messages of the logic the client has received so far."""


_decode_client_message = msgspec.json.Decoder(RemoteSeatMessage).decode


def encode_message(request: str, content: Any) -> str:
    return json.dumps({"request": request, "content": content})


def decode_token(token: str) -> str:
    """The address in a token, which is the address itself or its base64."""
    if "/" in token and ":" in token:
        return token
    with contextlib.suppress(binascii.Error, UnicodeDecodeError):
        return base64.b64decode(token, validate=True).decode()
    return token


def encode_token(address: str) -> str:
    """An address as a token in base64."""
    return base64.b64encode(address.encode()).decode()


class RemoteSeat(JudgerSeat):
    """The seat, which stays while its player comes and goes."""

    kind = PERSON

    def __init__(
        self, path_pattern: Sequence[str], *, keeps_first_client: bool, reports_loss: bool
    ) -> None:
        """``path_pattern`` are the last parts of its address, ``*`` for any. If
        ``keeps_first_client``, a second client is disconnected, as the original did; else it takes
        the seat. If ``reports_loss``, the logic is told when the player does not come back."""
        self.path_pattern = path_pattern
        self.on_arrival: Callable[[], None] = lambda: None
        """Called when a player takes the seat."""
        self._keeps_first_client, self._reports_loss = keeps_first_client, reports_loss
        self._connection: WebSocketConnection | None = None
        self._log: list[str] = []
        """What was sent to the seat."""
        self._discarded_messages = 0
        """How many messages at the beginning of the log are not kept any more."""
        self._log_bytes = 0
        self._messages_seen = 0
        """How many messages had been sent when the player acted last."""
        self._actions = 0
        self._away_since = time.monotonic()
        self._loss_reported = False
        self._shutting_down = False
        self._held = False
        self._actions_before_match: list[str] = []

    @property
    def connected(self) -> bool:
        return self._connection is not None

    def matches_path(self, path: str) -> bool:
        """Whether this is the seat's address."""
        parts = path.partition("?")[0].strip("/").split("/")
        last = parts[-len(self.path_pattern) :]
        return len(last) == len(self.path_pattern) and all(
            wanted in ("*", part) for wanted, part in zip(self.path_pattern, last, strict=True)
        )

    def attach(self, connection: WebSocketConnection) -> None:
        """Listen to a client at the seat's address; it takes the seat when it sends ``connect``."""
        connection.on_message = lambda text: self._on_message(connection, text)

    def _on_message(self, connection: WebSocketConnection, text: str) -> None:
        try:
            message = _decode_client_message(text)
        except (msgspec.DecodeError, RecursionError):
            return
        if message.token is not None and not self.matches_path(decode_token(message.token)):
            return
        if message.request == "connect":
            self._take_seat(connection, message.received)
        elif connection is self._connection and message.request == "action":
            self._on_action(message.content or "")

    def _take_seat(self, connection: WebSocketConnection, received: int | None) -> None:
        previous = self._connection
        if previous is connection:
            return
        if self._shutting_down or (previous is not None and self._keeps_first_client):
            connection.close()
            return
        self._connection, connection.has_seat = connection, True
        connection.close_callbacks.append(lambda: self._on_close(connection))
        if previous is not None:
            previous.has_seat = False
            previous.close()
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
            if len(self._actions_before_match) < MAX_UNSEATED_FRAMES:
                self._actions_before_match.append(content)
        else:
            self.observer.on_answer(self.number, content.encode(errors="replace"))

    def join(self, number: int, observer: SeatObserver) -> None:
        super().join(number, observer)
        for content in self._actions_before_match:
            observer.on_answer(number, content.encode(errors="replace"))

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
        """Report the player as gone if it has been disconnected for too long."""
        gone = self._connection is None and now - self._away_since > DISCONNECT_TIMEOUT_S
        if gone and self._reports_loss and not self._loss_reported:
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
