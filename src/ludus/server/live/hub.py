"""Bouts under way, and everybody who watches them.

Everything here belongs to the event loop's thread; ``Reporter`` brings events from the thread of
a referee. What is sent is encoded once and shared by all who get it. Who cannot keep up is
dropped, never waited for.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ludus.games.base import Game, Position
from ludus.games.registry import get
from ludus.match.record import Record
from ludus.match.referee import Ended, Event, Moved, Started
from ludus.server.live.film import Film, encode
from ludus.server.records.summary import players_of, title_of

BACKLOG = 8192
"""Messages that may wait for a watcher before it is dropped."""
FINISHED_KEPT = 64
"""Films of bouts that were not saved, kept after their end."""
LINGER = 8.0
"""Seconds that a bout stays in the list after its end."""
LIST_PAUSE = 0.5
"""Seconds between two lists sent to a watcher of the list."""
THUMB_TOKENS = 4096
"""Boards with more tokens are not sent as thumbnails."""


class Watcher:
    """One connection: what waits to be sent to it."""

    def __init__(self) -> None:
        self._waiting: deque[str] = deque()
        self._news = asyncio.Event()
        self.dropped = False
        self.closed = False

    def send(self, text: str) -> None:
        if self.dropped or self.closed:
            return
        if len(self._waiting) >= BACKLOG:
            self.dropped = True
            self._waiting.clear()
        else:
            self._waiting.append(text)
        self._news.set()

    def close(self) -> None:
        """Nothing more will come."""
        self.closed = True
        self._news.set()

    async def next(self) -> str | None:
        """The next message; None when there will be no more."""
        while not self._waiting:
            if self.dropped or self.closed:
                return None
            self._news.clear()
            await self._news.wait()
        return self._waiting.popleft()


def message(kind: str, **parts: Any) -> str:
    """One message of the WebSocket protocol."""
    return encode({"type": kind, **parts}).decode()


class Stage:
    """A bout that is watched while it is played: by spectators, and from seats."""

    def __init__(self, id: str, kind: str, *, demo: bool = False) -> None:
        self.id, self.kind, self.demo = id, kind, demo
        self.films: dict[int | None, Film] = {}
        """For each audience: None is the spectators; seats have their own in hidden games."""
        self.watchers: dict[Watcher, int | None] = {}
        self.match: Mapping[str, Any] | None = None
        self.over: float | None = None
        """When it ended."""
        self.private = False
        """Whether it is in nobody's list."""
        self.timed = True
        """Whether clocks are shown."""
        self.seen = 0.0
        """When somebody last took its film."""

    @property
    def film(self) -> Film:
        return self.films[None]

    @property
    def listed(self) -> bool:
        """Whether it is under way, or over so recently that people may want to see the end."""
        recently = self.over is None or time.monotonic() - self.over < LINGER
        return bool(self.films) and (recently or self.demo)

    def catch_up(self) -> None:
        """Before somebody looks: take in what has not been taken in yet."""

    def audience(self, seat: int | None) -> int | None:
        return seat if seat in self.films else None

    def watch(self, watcher: Watcher, seat: int | None = None) -> None:
        """Send everything so far; from now on every step."""
        self.catch_up()
        if self.films:
            film = self.films[self.audience(seat)]
            watcher.send(message("film", film=film.as_json()))
        self.watchers[watcher] = seat

    def leave(self, watcher: Watcher) -> None:
        self.watchers.pop(watcher, None)

    def begin(self, films: dict[int | None, Film], kind: str = "film") -> None:
        """A bout begins, or begins again (``kind`` is then ``restart``)."""
        self.films, self.over = films, None
        texts = {
            audience: message(kind, film=film.as_json())
            for audience, film in films.items()
            if self.watchers
        }
        self._send(texts)

    def step(self, steps: Mapping[int | None, bytes]) -> None:
        texts = {}
        for audience, data in steps.items():
            film = self.films[audience]
            film.append(data)
            texts[audience] = f'{{"type":"step","n":{len(film.steps)},"step":{data.decode()}}}'
        self._send(texts)

    def end(self, record: Record) -> None:
        for film in self.films.values():
            film.finish(record)
        self.over = time.monotonic()
        self.say(message("end", end=self.film.end))

    def say(self, text: str) -> None:
        """The same to everybody."""
        for watcher in self.watchers:
            watcher.send(text)

    def _send(self, texts: Mapping[int | None, str]) -> None:
        for watcher, seat in self.watchers.items():
            watcher.send(texts[self.audience(seat)])

    def summary(self) -> dict[str, Any]:
        """For lists, with a picture of the board if it is not too large."""
        film = self.film
        started, frame = film.started, film.frame
        facts = {
            "id": self.id,
            "kind": self.kind,
            "game": {"name": started.game, "title": title_of(started.game)},
            "players": players_of(started.bots),
            "step": len(film.steps),
            "to_move": frame["to_move"],
            "end": film.end,
            "began": started.began or None,
            "match": self.match,
            "demo": self.demo,
        }
        if sum(map(len, frame["layers"].values())) <= THUMB_TOKENS:
            facts |= {"thumb": frame, "scene": film.scene}
        return facts


class Reporter:
    """A referee's ``watch`` that films a bout in the referee's thread and tells a stage."""

    def __init__(
        self,
        stage: Stage,
        post: Callable[..., Any],
        *,
        skip: int = 0,
        kind: str = "film",
    ) -> None:
        """``post`` runs a function in the loop. The first ``skip`` steps are shown all at once."""
        self.stage, self.post, self.skip, self.kind = stage, post, skip, kind
        self.films: dict[int | None, Film] = {}
        self.count = 0

    def __call__(self, event: Event, position: Position) -> None:
        match event:
            case Started():
                self.count = 0
                self.films = films_of(self.stage, event, position)
                if not self.skip:
                    self.post(self.stage.begin, self.films, self.kind)
            case Moved(moves=moves, spent=spent):
                self.count += 1
                steps = {who: f.shoot(moves, spent, position) for who, f in self.films.items()}
                if self.count > self.skip:
                    self.post(self.stage.step, steps)
                    return
                for who, data in steps.items():
                    self.films[who].append(data)
                if self.count == self.skip:
                    self.post(self.stage.begin, self.films, self.kind)
            case Ended(record=record):
                self.post(self.stage.end, record)


def films_of(stage: Stage, started: Started, position: Position) -> dict[int | None, Film]:
    """A film for each audience."""
    game: Game = get(started.game)
    audiences: Iterable[int | None] = (None, *range(len(game.seats))) if game.hidden else (None,)
    return {
        seat: Film(
            stage.id,
            stage.kind,
            game,
            started,
            position,
            seat=seat,
            secret=game.hidden,
            timed=stage.timed,
            match=stage.match,
        )
        for seat in audiences
    }


class Hub:
    """Every bout under way that this server knows of."""

    def __init__(self) -> None:
        self.stages: dict[str, Stage] = {}
        self.finished: OrderedDict[str, Stage] = OrderedDict()
        self.listeners: set[Watcher] = set()
        self.walls = 0
        self.visits = 0
        """Connections that have been made."""
        self.looked = 0.0
        """When somebody last looked at the list."""

    def add(self, stage: Stage) -> None:
        self.stages[stage.id] = stage

    def remove(self, stage: Stage) -> None:
        """It is not in the list any more; its film can still be had for a while."""
        if self.stages.get(stage.id) is stage:
            del self.stages[stage.id]
        if stage.films and not stage.demo:
            self.finished[stage.id] = stage
            while len(self.finished) > FINISHED_KEPT:
                self.finished.popitem(last=False)[1].films.clear()

    def find(self, id: str) -> Stage | None:
        return self.stages.get(id) or self.finished.get(id)

    def list(self) -> list[dict[str, Any]]:
        """Summaries of everything under way, what people play first, demos last."""
        self.looked = time.monotonic()
        for stage in self.stages.values():
            stage.catch_up()
        order = {"room": 0, "live": 1}
        stages = sorted(
            (stage for stage in self.stages.values() if stage.listed and not stage.private),
            key=lambda stage: (stage.demo, order.get(stage.kind, 2), stage.id),
        )
        return [stage.summary() for stage in stages]

    async def tend(self) -> None:
        """For as long as the server runs: send the list when it changed, forget what is over."""
        sent = ""
        while True:
            await asyncio.sleep(LIST_PAUSE)
            for stage in list(self.stages.values()):
                if stage.kind == "live" and stage.films and not stage.listed:
                    self.remove(stage)
            if self.listeners:
                text = message("live", items=self.list())
                if text != sent:
                    sent = text
                    for listener in self.listeners:
                        listener.send(text)

    @property
    def looked_at(self) -> bool:
        """Whether somebody has a list or a wall of boards open."""
        return bool(self.listeners or self.walls)

    @contextlib.contextmanager
    def looking(self) -> Iterator[None]:
        """While somebody has a wall of boards open."""
        self.walls += 1
        try:
            yield
        finally:
            self.walls -= 1

    @contextlib.contextmanager
    def listening(self, watcher: Watcher) -> Iterator[None]:
        """While this lasts, the watcher gets the list whenever it changes."""
        watcher.send(message("live", items=self.list()))
        self.listeners.add(watcher)
        try:
            yield
        finally:
            self.listeners.discard(watcher)

    def close(self) -> None:
        for stage in (*self.stages.values(), *self.finished.values()):
            for watcher in stage.watchers:
                watcher.close()
        for listener in self.listeners:
            listener.close()
