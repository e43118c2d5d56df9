"""A room: the people of one bout, on its seats or as spectators.

The player of a seat asks its person through ``ask`` and ``explain``, from any thread; everything
else belongs to the event loop's thread.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec

from ludus.bots.players.human import HumanPlayer, MoveQuestion
from ludus.errors import LudusError
from ludus.lang import Text
from ludus.server.error_schema import ErrorDetail
from ludus.server.live.board_schemas import list_gestures
from ludus.server.live.live_bouts import LiveBout, Watcher
from ludus.server.live.messages import (
    AskMessage,
    ChatMessage,
    ClientMessage,
    ErrorMessage,
    IllegalMessage,
    PongMessage,
    PresenceMessage,
    SeatKind,
    SeatMessage,
    SeatPresence,
    encode_message,
)
from ludus.server.web.errors import (
    Conflict,
    Forbidden,
    NotLoggedIn,
    RequestError,
    TooManyRequests,
    describe_decode_error,
)

KEPT_CHAT_LINES = 50
"""Chat lines that people who come later still see."""
MAX_CHAT_CHARS = 300
CHAT_RATE_LIMIT = (8, 10.0)
"""How many chat lines a person may send in how many seconds."""
MAX_RENAMES = 20
"""How often the person on a seat may change their name."""
MAX_LISTED_LEGAL_MOVES = 500
"""The most legal moves that are listed."""

PostToLoop = Callable[..., Any]
"""Runs a function in the event loop, from any thread."""


@dataclass(slots=True)
class HumanSeat:
    """A seat for a person, with the secret that opens it."""

    seat: int
    player: HumanPlayer
    kind: SeatKind = "human"
    open: bool = False
    """Whether it is still free."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    watchers: set[Watcher] = field(default_factory=set)
    arrived: bool = False
    """Whether its person has been here at some time."""
    renames: int = 0
    """How often its person has changed their name."""


@dataclass(frozen=True, slots=True)
class PendingQuestion:
    """A question that has not been answered yet."""

    question: MoveQuestion
    message: AskMessage
    asked_at: float

    def encode(self) -> str:
        """The question as a message, with the time that is left now."""
        limit = self.question.limit
        if limit is None:
            return encode_message(self.message)
        gone = time.monotonic() - self.asked_at
        left = list(self.message.left)
        left[self.question.seat] = round(left[self.question.seat] - gone, 3)
        limit = max(0.0, limit - gone)
        return encode_message(msgspec.structs.replace(self.message, left=left, limit=limit))


class Room:
    """The people of one bout."""

    practice = False

    def __init__(self, id: str, post: PostToLoop) -> None:
        self.live_bout = LiveBout(id, "room")
        self.human_seats: dict[int, HumanSeat] = {}
        self.emptied_at = time.monotonic()
        """When the last person left."""
        self.was_visited = False
        """Whether anybody has been here."""
        self.pending_questions: dict[int, PendingQuestion] = {}
        """Unanswered questions by seat: some games ask several seats at once."""
        self.previews: dict[int, tuple[MoveQuestion, str]] = {}
        """By seat: what the moves of its pending question lead to, as a message."""
        self.player_arrived = threading.Event()
        """Set once a person has come to a seat."""
        self.chat_log: deque[str] = deque(maxlen=KEPT_CHAT_LINES)
        """The chat messages as they were sent."""
        self._chat_times: dict[Watcher, deque[float]] = {}
        self._post = post

    # For the players of the bout, from any thread

    def ask(self, question: MoveQuestion) -> None:
        """Ask the person on a seat for a move."""
        legal = question.position.legal(question.seat)
        message = AskMessage(
            n=question.number,
            seat=question.seat,
            gestures=list_gestures(question.position, question.seat),
            legal=legal if len(legal) <= MAX_LISTED_LEGAL_MOVES else None,
            left=[round(seconds, 3) for seconds in question.left],
            limit=question.limit,
        )
        self._post(self._store_question, PendingQuestion(question, message, time.monotonic()))

    def explain(self, question: MoveQuestion, move: str, why: Text) -> None:
        """Say why a move is not legal, and ask again."""
        self._post(
            self._send_to_seat, question.seat, encode_message(IllegalMessage(move[:200], why))
        )
        self.ask(question)

    # In the event loop

    def close(self) -> None:
        """Abort the bout."""
        for human_seat in self.human_seats.values():
            human_seat.player.leave()

    def join(self, seconds: float) -> None:
        """Wait until the room is closed."""

    def find_seat(self, token: str) -> HumanSeat | None:
        """The seat that a token opens."""
        given = token.encode()
        chairs = self.human_seats.values()
        return next((c for c in chairs if hmac.compare_digest(c.token.encode(), given)), None)

    def add_watcher(self, watcher: Watcher, human_seat: HumanSeat | None) -> None:
        """Add a person's connection: send the bout so far, and the open question if there is
        one."""
        self.was_visited = True
        seat = human_seat.seat if human_seat else None
        watcher.send(encode_message(SeatMessage(seat, self.practice)))
        self.live_bout.watch(watcher, seat)
        for text in self.chat_log:
            watcher.send(text)
        if human_seat is not None:
            human_seat.watchers.add(watcher)
            human_seat.arrived = True
            self.player_arrived.set()
            self.live_bout.deserted_at = None
            if pending := self.pending_questions.get(human_seat.seat):
                watcher.send(pending.encode())
                question, text = self.previews.get(human_seat.seat, (None, ""))
                if question is pending.question:
                    watcher.send(text)
        self._broadcast_presence()

    def post_chat(self, who: str, words: str) -> None:
        """Send a chat message to everybody in the room."""
        if cleaned := clean_chat_text(words):
            at = datetime.now(UTC).isoformat(timespec="seconds")
            text = encode_message(ChatMessage(who, cleaned, at))
            self.chat_log.append(text)
            self.live_bout.broadcast(text)

    def remove_watcher(self, watcher: Watcher, human_seat: HumanSeat | None) -> None:
        self.live_bout.unwatch(watcher)
        self._chat_times.pop(watcher, None)
        if human_seat is not None:
            human_seat.watchers.discard(watcher)
        if not self.live_bout.watchers:
            self.emptied_at = time.monotonic()
        if not any(seat.watchers for seat in self.human_seats.values()):
            self.live_bout.deserted_at = time.monotonic()
        self._broadcast_presence()

    def rename(self, human_seat: HumanSeat, name: str) -> None:
        """Change the name of the person on a seat, for everyone in the room and for the record.
        Raises Conflict if that has happened too often."""
        if human_seat.player.name == name:
            return
        if human_seat.renames >= MAX_RENAMES:
            raise Conflict("this name cannot be changed any more", "名字不能再改了")
        human_seat.renames += 1
        human_seat.player.name = name
        self.live_bout.rename_player(human_seat.seat, name)
        self._broadcast_presence()

    def is_deserted(self, now: float) -> bool:
        """Whether it has been empty for so long that it may be closed."""
        return False

    def _broadcast_presence(self) -> None:
        seats = [
            SeatPresence(c.seat, c.kind, c.player.name, c.open, bool(c.watchers), c.arrived)
            for c in self.human_seats.values()
        ]
        self.live_bout.broadcast(encode_message(PresenceMessage(seats)))

    def _store_question(self, pending: PendingQuestion) -> None:
        self.pending_questions[pending.question.seat] = pending
        self._send_to_seat(pending.question.seat, pending.encode())

    def _store_previews(self, question: MoveQuestion, text: str) -> None:
        self.previews[question.seat] = question, text
        pending = self.pending_questions.get(question.seat)
        if pending is not None and pending.question is question:
            self._send_to_seat(question.seat, text)

    def _send_to_seat(self, seat: int, text: str) -> None:
        for watcher in self.human_seats[seat].watchers:
            watcher.send(text)

    def receive(self, human_seat: HumanSeat | None, name: str, watcher: Watcher, text: str) -> None:
        """Handle a message from a seat, or from a spectator called ``name``."""
        if not text:
            send_error(
                watcher,
                RequestError("send JSON as text, not as bytes", "请以文本而非二进制发送 JSON"),
            )
            return
        try:
            message = msgspec.json.decode(text, type=ClientMessage)
        except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
            why = describe_decode_error(error)
            send_error(
                watcher, RequestError(f"not understood: {why['en']}", f"无法理解：{why['zh']}")
            )
            return
        if message.type == "say":
            self._receive_chat(
                human_seat.player.name if human_seat else name, watcher, message.text
            )
            return
        act = getattr(self, f"on_{message.type}", None)
        if human_seat is None:
            send_error(watcher, Forbidden("you are looking on", "你正在旁观"))
        elif act is None:
            send_error(
                watcher,
                RequestError(f"there is no {message.type!r} here", f"没有 {message.type!r}"),
            )
        else:
            act(human_seat, watcher, message)

    def _receive_chat(self, name: str, watcher: Watcher, words: str) -> None:
        spoke = self._chat_times.setdefault(watcher, deque(maxlen=CHAT_RATE_LIMIT[0]))
        if not name:
            send_error(watcher, NotLoggedIn("log in to talk here", "登录后才能发言"))
        elif len(spoke) == CHAT_RATE_LIMIT[0] and time.monotonic() - spoke[0] < CHAT_RATE_LIMIT[1]:
            send_error(watcher, TooManyRequests("not so fast", "发言太快了"))
        else:
            spoke.append(time.monotonic())
            self.post_chat(name, words)

    def on_ping(self, human_seat: HumanSeat, watcher: Watcher, message: ClientMessage) -> None:
        watcher.send(encode_message(PongMessage()))

    def on_move(self, human_seat: HumanSeat, watcher: Watcher, message: ClientMessage) -> None:
        pending = self.pending_questions.get(human_seat.seat)
        if pending is None or pending.question.number != message.n:
            send_error(watcher, Conflict("it is not your turn", "现在不该你走"))
            return
        del self.pending_questions[human_seat.seat]
        human_seat.player.answer(message.move)

    def on_resign(self, human_seat: HumanSeat, watcher: Watcher, message: ClientMessage) -> None:
        self.pending_questions.pop(human_seat.seat, None)
        human_seat.player.resign()


def send_error(watcher: Watcher, error: LudusError) -> None:
    watcher.send(encode_message(ErrorMessage(ErrorDetail.from_error(error))))


def clean_chat_text(words: str) -> str:
    """The visible characters of a chat line, shortened to its limit."""
    return " ".join("".join(c if c.isprintable() else " " for c in words).split())[:MAX_CHAT_CHARS]
