"""Bouts under way, and the connections that watch them.

Everything here belongs to the event loop's thread. Nothing is played or filmed here: films come
step by step from a referee's thread (``LiveBoutReporter``), or from where the bouts of other
processes are filmed (``LiveStreams``). Each message is encoded once and shared by all receivers. A
watcher that cannot keep up is dropped, never waited for.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping
from typing import cast

import msgspec
from msgspec import UNSET

from ludus.server.live.bout_reporter import BeginKind
from ludus.server.live.film import Film
from ludus.server.live.film_schemas import (
    BoutEnd,
    BoutSummary,
    FilmKind,
    FilmPlayer,
    FilmStep,
    GameTitle,
    MatchPlace,
)
from ludus.server.live.film_updates import LiveBoutInfo
from ludus.server.live.messages import (
    FilmEndMessage,
    FilmMessage,
    LiveMessage,
    RestartMessage,
    SavedMessage,
    StepMessage,
    encode_message,
)

MAX_QUEUED_MESSAGES = 8192
"""Messages that may be queued for a watcher before it is dropped."""
MAX_FINISHED_BOUTS = 64
"""How many films of unsaved bouts are kept after their end."""
LISTED_AFTER_END_S = 8.0
"""Seconds for which a finished bout stays in the list."""
LISTED_AFTER_LEAVING_S = 15.0
"""Seconds for which a room's bout stays in the list when its people have left: they may only have
reloaded the page."""
LIST_INTERVAL_S = 0.5
"""Seconds between two updates of the list."""
MAX_THUMBNAIL_TOKENS = 4096
"""Boards with more tokens are not sent as thumbnails."""


class Watcher:
    """One connection and the messages queued for it."""

    def __init__(self) -> None:
        self._queue: deque[str] = deque()
        self._wakeup = asyncio.Event()
        self.dropped = False
        self.closed = False

    def send(self, text: str) -> None:
        if self.dropped or self.closed:
            return
        if len(self._queue) >= MAX_QUEUED_MESSAGES:
            self.dropped = True
            self._queue.clear()
        else:
            self._queue.append(text)
        self._wakeup.set()

    def close(self) -> None:
        """End the connection's messages."""
        self.closed = True
        self._wakeup.set()

    async def next(self) -> str | None:
        """The next message; None when there are no more."""
        while not self._queue:
            if self.dropped or self.closed:
                return None
            self._wakeup.clear()
            await self._wakeup.wait()
        return self._queue.popleft()


BEGIN_MESSAGES: dict[BeginKind, type[FilmMessage] | type[RestartMessage]] = {
    "film": FilmMessage,
    "restart": RestartMessage,
}


class LiveBout:
    """A bout that can be watched while it is played, by spectators and from seats."""

    def __init__(
        self, id: str, kind: FilmKind, *, demo: bool = False, info: LiveBoutInfo | None = None
    ) -> None:
        self.id, self.kind, self.demo = id, kind, demo
        self.info = info or LiveBoutInfo(id)
        self.films: dict[int | None, Film] = {}
        """By audience: None stands for the spectators; in hidden games, seats have films of their
        own."""
        self.watchers: dict[Watcher, int | None] = {}
        self.match: MatchPlace | None = None
        self.ended_at: float | None = None
        """When it ended (monotonic seconds), or None."""
        self.deserted_at: float | None = None
        """Of a room: since when nobody has been on its seats (monotonic seconds)."""
        self.saved_as: str | None = None
        """The id of its record, once it is over and saved."""
        self.private = False
        """Whether it is left out of lists."""
        self.timed = True
        """Whether clocks are shown."""
        self.film_requested_at = 0.0
        """When its film was last requested."""
        self._film_texts: dict[int | None, tuple[int, str]] = {}
        """By audience: the number of steps and the encoded message of the last film that was
        sent."""

    @property
    def film(self) -> Film:
        return self.films[None]

    @property
    def is_listed(self) -> bool:
        """Whether it is under way, or ended so recently that people may want to see the end.
        A bout that all its people have left is not under way."""
        if self.is_deserted:
            return False
        recently = self.ended_at is None or time.monotonic() - self.ended_at < LISTED_AFTER_END_S
        return bool(self.films) and (recently or self.demo)

    @property
    def is_deserted(self) -> bool:
        """Whether it is the bout of a room that all its people left a while ago."""
        return (
            self.deserted_at is not None
            and time.monotonic() - self.deserted_at > LISTED_AFTER_LEAVING_S
        )

    def audience_for(self, seat: int | None) -> int | None:
        return seat if seat in self.films else None

    def watch(self, watcher: Watcher, seat: int | None = None) -> None:
        """Send the film so far to a watcher, and from now on every step."""
        if self.films:
            watcher.send(self._encode_film(self.audience_for(seat)))
        if self.saved_as is not None:
            watcher.send(encode_message(SavedMessage(self.saved_as)))
        self.watchers[watcher] = seat

    def _encode_film(self, audience: int | None) -> str:
        """The film so far as a message, shared by all who join between two steps."""
        film = self.films[audience]
        steps, text = self._film_texts.get(audience, (-1, ""))
        if steps != len(film.steps):
            text = encode_message(FilmMessage(film.describe()))
            self._film_texts[audience] = (len(film.steps), text)
        return text

    def unwatch(self, watcher: Watcher) -> None:
        self.watchers.pop(watcher, None)

    def begin(self, films: dict[int | None, Film], kind: BeginKind = "film") -> None:
        """Start the bout's films, or start them anew (``kind`` is then ``restart``)."""
        self.films = films
        self.saved_as = None
        self.ended_at = time.monotonic() if films[None].end is not None else None
        self._film_texts.clear()
        texts = {
            audience: encode_message(BEGIN_MESSAGES[kind](film.describe()))
            for audience, film in films.items()
            if self.watchers
        }
        self._send_by_audience(texts)

    def add_step(self, steps: Mapping[int | None, bytes | msgspec.Raw]) -> None:
        texts = {}
        for audience, data in steps.items():
            film = self.films[audience]
            film.append(data)
            step = cast(FilmStep, film.steps[-1])  # encoded once for film and message
            texts[audience] = encode_message(StepMessage(len(film.steps), step))
        self._send_by_audience(texts)

    def finish(self, end: BoutEnd) -> None:
        for film in self.films.values():
            film.end = end
        self._film_texts.clear()
        self.ended_at = time.monotonic()
        self.broadcast(encode_message(FilmEndMessage(end)))

    def rename_player(self, seat: int, name: str) -> None:
        """Change a player's name in the films that later watchers get."""
        for film in self.films.values():
            film.beginning.players[seat].name = name
        self._film_texts.clear()

    def mark_saved(self, record_id: str) -> None:
        """Tell all watchers, also later ones, under which id the bout was saved."""
        self.saved_as = record_id
        self.broadcast(encode_message(SavedMessage(record_id)))

    def drop_films(self) -> None:
        """Drop the films because nobody watches."""
        self.films = {}
        self._film_texts.clear()

    def broadcast(self, text: str) -> None:
        """Send the same text to all watchers."""
        for watcher in self.watchers:
            watcher.send(text)

    def _send_by_audience(self, texts: Mapping[int | None, str]) -> None:
        for watcher, seat in self.watchers.items():
            watcher.send(texts[self.audience_for(seat)])

    def summarize(self) -> BoutSummary:
        """A summary for lists, with the board if it is not too large."""
        film, frame = self.film, self.film.last_frame
        about = film.beginning
        small = sum(map(len, frame["layers"].values())) <= MAX_THUMBNAIL_TOKENS
        return BoutSummary(
            id=self.id,
            kind=self.kind,
            game=GameTitle(about.game.name, about.game.title),
            players=[FilmPlayer(player.name, player.human) for player in about.players],
            step=len(film.steps),
            to_move=frame["to_move"],
            end=film.end,
            began=about.began,
            match=self.match,
            demo=self.demo,
            thumb=frame if small else UNSET,
            scene=about.scene if small else UNSET,
        )


class LiveHub:
    """Every bout under way that this server knows of."""

    def __init__(self) -> None:
        self.live_bouts: dict[str, LiveBout] = {}
        self.finished_bouts: OrderedDict[str, LiveBout] = OrderedDict()
        self.list_watchers: set[Watcher] = set()
        self.connections_made = 0
        """How many connections have been made so far."""
        self.list_requested_at = 0.0
        """When the list was last requested."""

    def add(self, live_bout: LiveBout) -> None:
        self.live_bouts[live_bout.id] = live_bout

    def remove(self, live_bout: LiveBout) -> None:
        """Remove a bout from the list; its film is kept for a while."""
        if self.live_bouts.get(live_bout.id) is live_bout:
            del self.live_bouts[live_bout.id]
        if live_bout.films and not live_bout.demo:
            self.finished_bouts[live_bout.id] = live_bout
            while len(self.finished_bouts) > MAX_FINISHED_BOUTS:
                self.finished_bouts.popitem(last=False)[1].films.clear()

    def find(self, id: str) -> LiveBout | None:
        return self.live_bouts.get(id) or self.finished_bouts.get(id)

    def list_bouts(self) -> list[BoutSummary]:
        """Summaries of all listed bouts: first those of people, demos last."""
        self.list_requested_at = time.monotonic()
        order = {"room": 0, "live": 1}
        listed = sorted(
            (
                live_bout
                for live_bout in self.live_bouts.values()
                if live_bout.is_listed and not live_bout.private
            ),
            key=lambda live_bout: (live_bout.demo, order.get(live_bout.kind, 2), live_bout.id),
        )
        return [live_bout.summarize() for live_bout in listed]

    async def run_periodically(self) -> None:
        """Send the list when it changed and forget finished bouts, while the server runs."""
        sent = ""
        while True:
            await asyncio.sleep(LIST_INTERVAL_S)
            for live_bout in list(self.live_bouts.values()):
                if live_bout.kind == "live" and live_bout.films and not live_bout.is_listed:
                    self.remove(live_bout)
            if self.list_watchers:
                text = encode_message(LiveMessage(self.list_bouts()))
                if text != sent:
                    sent = text
                    for listener in self.list_watchers:
                        listener.send(text)

    @contextlib.contextmanager
    def watch_list(self, watcher: Watcher) -> Iterator[None]:
        """Send the list to a watcher, whenever it changes, while the context is open."""
        watcher.send(encode_message(LiveMessage(self.list_bouts())))
        self.list_watchers.add(watcher)
        try:
            yield
        finally:
            self.list_watchers.discard(watcher)

    def close(self) -> None:
        for live_bout in (*self.live_bouts.values(), *self.finished_bouts.values()):
            for watcher in live_bout.watchers:
                watcher.close()
        for listener in self.list_watchers:
            listener.close()
