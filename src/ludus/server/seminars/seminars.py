"""Bouts that a teacher replays for everyone who has a seminar's code.

A seminar lives in memory: it ends when its leader closes it, after some hours, or with the server.
Followers get the film of an anonymous copy of the record, and by WebSocket what the leader shows.
Seminars are made in any thread; all else runs in the event loop.
"""

from __future__ import annotations

import asyncio
import gzip
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

import msgspec

from ludus.games.board_shapes import find_shape_problem
from ludus.match.record import Record
from ludus.server.live.film import make_film
from ludus.server.live.live_bouts import Watcher
from ludus.server.live.messages import SeminarMessage, encode_message
from ludus.server.rooms.room import send_error
from ludus.server.seminars.anonymous_record import make_anonymous
from ludus.server.seminars.seminar_schemas import SeminarInfo, SeminarView
from ludus.server.web.errors import (
    Forbidden,
    NotFound,
    RequestError,
    TooManyRequests,
    describe_decode_error,
)

CODE_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Letters and digits that are not mistaken for one another when they are read aloud or typed."""
CODE_CHARS = 6
FILM_PREFIX = "seminar-"
LIFETIME_S = 12 * 3600.0
"""Seconds after which a seminar ends by itself."""
MAX_SEMINARS = 200
MAX_SEMINARS_PER_LEADER = 5
"""Opening more closes the oldest one."""
MAX_CONNECTIONS = 1000
"""The most connections to one seminar."""
BROADCAST_INTERVAL_S = 0.05
"""Followers are sent the newest view at most this often, however fast the leader steps."""


class Seminar:
    """One bout, what its leader shows of it, and everyone who follows."""

    def __init__(self, code: str, leader_id: int, record: Record, students: Sequence[int]) -> None:
        self.code, self.leader_id, self.students = code, leader_id, list(students)
        self.film_id = f"{FILM_PREFIX}{code}"
        self.record = make_anonymous(record)
        film = make_film(self.record, self.film_id)
        scene = film.beginning.scene
        self._cells = scene.get("rows", 0) * scene.get("columns", 0)
        self._steps = len(film.steps)
        self.film = gzip.compress(film.encode(), 6)
        """The gzipped film of the anonymous record."""
        self.view = SeminarView()
        self.watchers: set[Watcher] = set()
        self._leaders: set[Watcher] = set()
        self._ends = time.monotonic() + LIFETIME_S
        self._ends_at = datetime.fromtimestamp(time.time() + LIFETIME_S, UTC)
        self._broadcast_is_due = False

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self._ends

    def describe(self, user_id: int) -> SeminarInfo:
        return SeminarInfo(
            self.code,
            self.film_id,
            user_id == self.leader_id,
            self.students,
            self._ends_at.isoformat(timespec="seconds"),
        )

    @contextmanager
    def connect(self, watcher: Watcher, user_id: int) -> Iterator[None]:
        """Send a watcher what the leader shows; TooManyRequests if very many are connected."""
        if len(self.watchers) >= MAX_CONNECTIONS:
            raise TooManyRequests(
                f"{MAX_CONNECTIONS} people follow this seminar already",
                f"已有 {MAX_CONNECTIONS} 人在观看这次讲评",
                wait=60,
            )
        self.watchers.add(watcher)
        if user_id == self.leader_id:
            self._leaders.add(watcher)
        watcher.send(self._encode_view())
        self._broadcast_soon()
        try:
            yield
        finally:
            self.watchers.discard(watcher)
            self._leaders.discard(watcher)
            self._broadcast_soon()

    def receive(self, watcher: Watcher, text: str) -> None:
        """Take what the leader shows now; others are told that they only follow."""
        if watcher not in self._leaders:
            send_error(watcher, Forbidden("you follow this seminar", "你正在观看讲评"))
            return
        try:
            view = msgspec.json.decode(text, type=SeminarView)
        except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
            why = describe_decode_error(error)
            send_error(
                watcher, RequestError(f"not understood: {why['en']}", f"无法理解：{why['zh']}")
            )
            return
        for shape in view.shapes:
            problem = find_shape_problem(shape, self._cells)
            if problem["en"]:
                send_error(watcher, RequestError(problem["en"], problem["zh"]))
                return
        view.step = min(view.step, self._steps)
        self.view = view
        self._broadcast_soon()

    def close(self) -> None:
        """End the connections; who comes back is told that it is over."""
        for watcher in self.watchers:
            watcher.close()

    def _encode_view(self) -> str:
        followers = len(self.watchers) - len(self._leaders)
        return encode_message(SeminarMessage(self.view, followers, bool(self._leaders)))

    def _broadcast_soon(self) -> None:
        if self._broadcast_is_due:
            return
        self._broadcast_is_due = True
        asyncio.get_running_loop().call_later(BROADCAST_INTERVAL_S, self._broadcast)

    def _broadcast(self) -> None:
        self._broadcast_is_due = False
        text = self._encode_view()
        for watcher in self.watchers:
            watcher.send(text)


class Seminars:
    """The seminars of a server."""

    def __init__(self) -> None:
        self._seminars: dict[str, Seminar] = {}
        """By code, the oldest first."""

    def add(self, seminar: Seminar) -> None:
        """Keep a seminar; TooManyRequests if there are very many."""
        self._remove_over()
        own = [each for each in self._seminars.values() if each.leader_id == seminar.leader_id]
        for oldest in own[: len(own) + 1 - MAX_SEMINARS_PER_LEADER]:
            self.remove(oldest)
        if len(self._seminars) >= MAX_SEMINARS:
            raise TooManyRequests(
                "there are very many seminars now; try again later",
                "目前的讲评太多了；请稍后再试",
                wait=600,
            )
        self._seminars[seminar.code] = seminar

    def draw_code(self) -> str:
        """A code that no seminar has."""
        while True:
            code = "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_CHARS))
            if code not in self._seminars:
                return code

    def get(self, code: str) -> Seminar:
        """The seminar with a code, typed in any case; NotFound if it is over."""
        self._remove_over()
        if (found := self._seminars.get(code.upper())) is None:
            raise NotFound(
                "this seminar is over (they end after some hours, and when the server is"
                " restarted), or the code is mistyped",
                "这次讲评已结束（讲评会在数小时后或服务器重启时结束），或代码有误",
            )
        return found

    def find_film(self, id: str) -> Seminar | None:
        """The seminar whose film has this id; for any thread."""
        if not id.startswith(FILM_PREFIX):
            return None
        found = self._seminars.get(id.removeprefix(FILM_PREFIX))
        return None if found is None or found.is_over else found

    def remove(self, seminar: Seminar) -> None:
        self._seminars.pop(seminar.code, None)
        seminar.close()

    def _remove_over(self) -> None:
        for seminar in [each for each in self._seminars.values() if each.is_over]:
            self.remove(seminar)
