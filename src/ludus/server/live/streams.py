"""Connects the hub with the places where bouts of other processes are filmed.

Belongs to the event loop's thread, like the hub. It knows which bouts are watched and tells their
source when the first watcher comes and some time after the last has left.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections import Counter
from collections.abc import Iterator

from ludus.server.live.film import Film
from ludus.server.live.film_schemas import MatchPlace
from ludus.server.live.film_updates import (
    BoutAppeared,
    BoutRemoved,
    FilmBegun,
    FilmDropped,
    FilmEnded,
    FilmSource,
    FilmSteps,
    LiveUpdate,
    NextBoutAppeared,
    RequestHandled,
)
from ludus.server.live.live_bouts import LiveBout, LiveHub
from ludus.server.live.messages import GoneMessage, NextMessage, encode_message

WATCH_LINGER_S = 5.0
"""Seconds for which a bout is still filmed after its last watcher has left: pages reload, and
programs request the list again and again."""
ANSWER_TIMEOUT_S = 2.0
"""Seconds to wait for the sources' answers to a request."""


class LiveStreams:
    """Receives updates from film sources, and tells the sources what is watched."""

    def __init__(self, hub: LiveHub) -> None:
        self.hub = hub
        self._sources: list[FilmSource] = []
        self._source_by_bout: dict[str, FilmSource] = {}
        """The source of each bout of which more updates will come."""
        self._watches: Counter[str | None] = Counter()
        self._asked: dict[str | None, set[FilmSource]] = {}
        """The sources that film each watched bout, until they are told that nobody watches any
        more: they lead the watchers of a finished bout to the next one."""
        self._requests: dict[int, asyncio.Future[None]] = {}
        self._request_numbers = itertools.count(1)

    def connect(self, source: FilmSource) -> None:
        self._sources.append(source)

    # What is watched

    @contextlib.contextmanager
    def watch(self, id: str | None = None) -> Iterator[None]:
        """Have a bout filmed while the context is open, and a little longer; None: all bouts in
        lists."""
        self._watches[id] += 1
        if self._watches[id] == 1:
            for source in self._find_sources(id):
                self._ask(source, id)
        try:
            yield
        finally:
            asyncio.get_running_loop().call_later(WATCH_LINGER_S, self._release, id)

    def _release(self, id: str | None) -> None:
        self._watches[id] -= 1
        if not self._watches[id]:
            del self._watches[id]
            for source in self._asked.pop(id, set()):
                source.unwatch(id)

    def _ask(self, source: FilmSource, id: str | None) -> None:
        self._asked.setdefault(id, set()).add(source)
        source.watch(id)

    def _find_sources(self, id: str | None) -> list[FilmSource]:
        if id is None:
            return self._sources
        return [self._source_by_bout[id]] if id in self._source_by_bout else []

    async def wait_for_answers(self) -> None:
        """Wait until every request so far has been answered, or the timeout is over."""
        waiting = [wait for source in self._sources if (wait := self._request(source)) is not None]
        if waiting:
            await asyncio.wait(waiting, timeout=ANSWER_TIMEOUT_S)

    def _request(self, source: FilmSource) -> asyncio.Future[None] | None:
        number = next(self._request_numbers)
        if not source.request(number):
            return None
        self._requests[number] = future = asyncio.get_running_loop().create_future()
        future.add_done_callback(lambda _: self._requests.pop(number, None))
        asyncio.get_running_loop().call_later(ANSWER_TIMEOUT_S, future.cancel)
        return future

    # Updates from sources

    def forget_source(self, source: FilmSource) -> None:
        """Drop the bouts of a source that has ended. It may start again, without knowing what is
        watched."""
        for id in [id for id, known in self._source_by_bout.items() if known is source]:
            self.receive(source, BoutRemoved(id, ended=False))

    def repeat_watches(self, source: FilmSource) -> None:
        """Tell a restarted source that lists are watched."""
        if self._watches[None]:
            self._ask(source, None)

    def receive(self, source: FilmSource, update: LiveUpdate) -> None:
        match update:
            case BoutAppeared():
                self._add_bout(source, update)
            case RequestHandled(number=number):
                if (future := self._requests.get(number)) is not None and not future.done():
                    future.set_result(None)
            case NextBoutAppeared(id=id, next=following):
                if (before := self.hub.find(id)) is not None:
                    before.broadcast(encode_message(NextMessage(following)))
            case _:
                if isinstance(update, BoutRemoved):
                    self._source_by_bout.pop(update.id, None)
                if (bout := self.hub.live_bouts.get(update.id)) is not None:
                    self._update_bout(bout, update)

    def _add_bout(self, source: FilmSource, appeared: BoutAppeared) -> None:
        info = appeared.bout
        bout = self.hub.live_bouts.get(info.id)
        if bout is None:
            bout = LiveBout(info.id, "live", info=info)
            bout.match = MatchPlace(info.match_id, info.number + 1, None) if info.match_id else None
            self.hub.add(bout)
        bout.private = appeared.private
        self._source_by_bout[info.id] = source
        if self._watches[info.id]:
            self._ask(source, info.id)

    def _update_bout(
        self, bout: LiveBout, update: FilmBegun | FilmSteps | FilmEnded | FilmDropped | BoutRemoved
    ) -> None:
        match update:
            case FilmBegun(film=film, kind=kind):
                bout.begin({None: Film.from_info(film)}, kind)
            case FilmSteps(steps=steps):
                for step in steps:
                    bout.add_step({None: step})
            case FilmEnded(end=end):
                bout.finish(end)
            case FilmDropped():
                bout.drop_films()
            case BoutRemoved(ended=ended):
                if not ended:
                    bout.broadcast(encode_message(GoneMessage()))
                if bout.ended_at is None:  # otherwise its end is listed for a while
                    self.hub.remove(bout)
