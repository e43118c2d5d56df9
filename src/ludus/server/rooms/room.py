"""A room: people at screens, each on a seat of one bout or looking on.

Whoever plays the bout asks through ``ask`` and ``explain``, from any thread; everything else
belongs to the event loop's thread.
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

from ludus.bots.players.human import HumanPlayer, Question
from ludus.lang import Text
from ludus.server.live.hub import Stage, Watcher, message
from ludus.server.web.errors import unreadable

TALK = 50
"""Lines of talk that whoever comes later still sees."""
LONGEST = 300
OFTEN = (8, 10.0)
"""How many lines somebody may say in how many seconds."""
LEGAL_SHOWN = 500
"""With more legal moves than this, they are not listed."""

Post = Callable[..., Any]
"""Runs a function in the event loop, from any thread."""


class Said(msgspec.Struct):
    """What a person's page sends."""

    type: str
    n: int = -1
    move: str = ""
    on: bool = True
    text: str = ""


@dataclass(slots=True)
class Chair:
    """A seat for a person, with the secret that opens it."""

    seat: int
    player: HumanPlayer
    kind: str = "human"
    open: bool = False
    """Nobody has taken it yet."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    watchers: set[Watcher] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that waits for its answer."""

    question: Question
    facts: dict[str, Any]
    at: float

    def text(self) -> str:
        """As it is asked now: a clock that runs has run on."""
        limit = self.question.limit
        if limit is None:
            return message("ask", **self.facts)
        gone = time.monotonic() - self.at
        left = list(self.facts["left"])
        left[self.question.seat] = round(left[self.question.seat] - gone, 3)
        return message("ask", **{**self.facts, "left": left, "limit": max(0.0, limit - gone)})


class Room:
    """The people of one bout."""

    practice = False

    def __init__(self, id: str, post: Post) -> None:
        self.stage = Stage(id, "room")
        self.chairs: dict[int, Chair] = {}
        self.left = time.monotonic()
        """When the last person left."""
        self.visited = False
        """Whether anybody was ever here."""
        self.asked: dict[int, Asked] = {}
        """What waits for an answer, by seat: some games ask several at once."""
        self.somebody = threading.Event()
        """Set once a person has come to a seat."""
        self.talk: deque[str] = deque(maxlen=TALK)
        """What was said, as it was sent."""
        self._spoke: dict[Watcher, deque[float]] = {}
        self._post = post

    # For whoever plays the bout, from any thread.

    def ask(self, question: Question) -> None:
        """Put a question to the person on a seat."""
        legal = question.position.legal(question.seat)
        facts = {
            "n": question.number,
            "seat": question.seat,
            "gestures": question.position.view(question.seat)["gestures"].get(
                str(question.seat), []
            ),
            "legal": legal if len(legal) <= LEGAL_SHOWN else None,
            "left": [round(seconds, 3) for seconds in question.left],
            "limit": question.limit,
        }
        self._post(self._put, Asked(question, facts, time.monotonic()))

    def explain(self, question: Question, move: str, why: Text) -> None:
        """Say why a move is not legal, and ask again."""
        self._post(self._tell, question.seat, message("illegal", move=move[:200], why=why))
        self.ask(question)

    # In the event loop.

    def close(self) -> None:
        """Break off whatever goes on."""
        for chair in self.chairs.values():
            chair.player.leave()

    def join(self, seconds: float) -> None:
        """Wait until it is closed."""

    def chair_of(self, token: str) -> Chair | None:
        """The seat that a token opens."""
        given = token.encode()
        chairs = self.chairs.values()
        return next((c for c in chairs if hmac.compare_digest(c.token.encode(), given)), None)

    def enter(self, watcher: Watcher, chair: Chair | None) -> None:
        """A person comes, or comes back: they get everything, and the question if there is one."""
        self.visited = True
        seat = chair.seat if chair else None
        watcher.send(message("seat", seat=seat, practice=self.practice))
        self.stage.watch(watcher, seat)
        for text in self.talk:
            watcher.send(text)
        if chair is not None:
            chair.watchers.add(watcher)
            self.somebody.set()
            if asked := self.asked.get(chair.seat):
                watcher.send(asked.text())
        self._presence()

    def say(self, who: str, words: str) -> None:
        """Somebody says something to everybody in the room."""
        if said := spoken(words):
            at = datetime.now(UTC).isoformat(timespec="seconds")
            text = message("said", who=who, text=said, at=at)
            self.talk.append(text)
            self.stage.say(text)

    def leave(self, watcher: Watcher, chair: Chair | None) -> None:
        self.stage.leave(watcher)
        self._spoke.pop(watcher, None)
        if chair is not None:
            chair.watchers.discard(watcher)
        if not self.stage.watchers:
            self.left = time.monotonic()
        self._presence()

    def deserted(self, now: float) -> bool:
        """Whether nobody has been here for so long that it may be closed."""
        return False

    def _presence(self) -> None:
        seats = [
            {
                "seat": c.seat,
                "connected": bool(c.watchers),
                "name": c.player.name,
                "kind": c.kind,
                "open": c.open,
            }
            for c in self.chairs.values()
        ]
        self.stage.say(message("presence", seats=seats))

    def _put(self, asked: Asked) -> None:
        self.asked[asked.question.seat] = asked
        self._tell(asked.question.seat, asked.text())

    def _tell(self, seat: int, text: str) -> None:
        for watcher in self.chairs[seat].watchers:
            watcher.send(text)

    def hear(self, chair: Chair | None, name: str, watcher: Watcher, text: str) -> None:
        """What the person on a seat says, or somebody who looks on and is called ``name``."""
        if not text:
            complain(watcher, "send JSON as text, not as bytes", "请以文本而非二进制发送 JSON")
            return
        try:
            said = msgspec.json.decode(text, type=Said)
        except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
            why = unreadable(error)
            complain(watcher, f"not understood: {why['en']}", f"无法理解：{why['zh']}")
            return
        if said.type == "say":
            self._hear_talk(chair.player.name if chair else name, watcher, said.text)
            return
        act = getattr(self, f"hear_{said.type}", None)
        if chair is None:
            complain(watcher, "you are looking on", "你正在旁观")
        elif act is None:
            complain(watcher, f"there is no {said.type!r} here", f"没有 {said.type!r}")
        else:
            act(chair, watcher, said)

    def _hear_talk(self, name: str, watcher: Watcher, words: str) -> None:
        spoke = self._spoke.setdefault(watcher, deque(maxlen=OFTEN[0]))
        if not name:
            complain(watcher, "log in to talk here", "登录后才能发言")
        elif len(spoke) == OFTEN[0] and time.monotonic() - spoke[0] < OFTEN[1]:
            complain(watcher, "not so fast", "发言太快了")
        else:
            spoke.append(time.monotonic())
            self.say(name, words)

    def hear_ping(self, chair: Chair, watcher: Watcher, said: Said) -> None:
        watcher.send(message("pong"))

    def hear_move(self, chair: Chair, watcher: Watcher, said: Said) -> None:
        asked = self.asked.get(chair.seat)
        if asked is None or asked.question.number != said.n:
            complain(watcher, "it is not your turn", "现在不该你走")
            return
        del self.asked[chair.seat]
        chair.player.answer(said.move)

    def hear_resign(self, chair: Chair, watcher: Watcher, said: Said) -> None:
        self.asked.pop(chair.seat, None)
        chair.player.resign()


def complain(watcher: Watcher, en: str, zh: str) -> None:
    watcher.send(message("error", error={"en": en, "zh": zh}))


def spoken(words: str) -> str:
    """A line of talk: what can be seen of it, not too long."""
    return " ".join("".join(c if c.isprintable() else " " for c in words).split())[:LONGEST]
