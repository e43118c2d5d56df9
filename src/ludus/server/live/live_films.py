"""Films bouts under way of other processes while they are watched.

The background process has one instance for the bouts of contests, whose events come through the
pipes of its workers; the web process has one for the journals of other programs on this machine.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Protocol, TypeVar

from ludus.match.referee import BoutEvent, BoutStarted
from ludus.server.live.film_updates import (
    BoutRemoved,
    LiveBoutInfo,
    NextBoutAppeared,
    RequestHandled,
)
from ludus.server.live.filmed_bout import FilmedBout, SendUpdate

log = logging.getLogger(__name__)

MAX_LISTED_BOUTS = 24
"""Bouts of one contest that lists and walls show at once. Fast bots play hundreds of bouts a
second, more than anybody could watch."""
MAX_KEPT_BOUTS = 500
"""Bouts of one contest that are kept at once, since it may be shown an hour late; further ones are
not shown live."""
LISTED_SLOT_S = 8.0
"""Seconds for which a finished bout still takes one of the places in lists."""
MAX_REMEMBERED_ENDS = 256
"""How many finished bouts are remembered so that their watchers can be led to the next bout of the
match."""
JOIN_TIMEOUT_S = 5.0


T = TypeVar("T")


class BoutAccess(Protocol):
    """How the bouts of a contest may be watched."""

    @property
    def delay(self) -> float: ...
    @property
    def private(self) -> bool: ...


FindAccess = Callable[[int | None], BoutAccess | None]
"""How the bouts of a contest (None: those of no contest) may be watched; None: not at all for
now."""
RETRY_ACCESS_S = 0.25
"""Seconds until access is looked up again for bouts that nobody may watch for now."""


class LiveFilms:
    """Keeps the events of every bout under way and films those that are watched.

    All work is done in one thread. The public methods only queue it, so they may be called from any
    thread and never block. ``send`` is called in that thread.
    """

    def __init__(self, send: SendUpdate, find_access: FindAccess) -> None:
        self._send, self._find_access = send, find_access
        self._queue: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._bouts: dict[str, FilmedBout] = {}
        self._watched: set[str] = set()
        self._lists_watched = False
        self._listed: dict[str, LiveBoutInfo] = {}
        """Bouts under way that are filmed because lists show them."""
        self._ended_listed: list[tuple[float, int | None]] = []
        """When such bouts ended, and their contests."""
        self._ended_by_match: dict[tuple[int | None, str], list[str]] = {}
        """Finished bouts that watchers know of and that have no successor yet."""
        self._thread = threading.Thread(target=self._run, name="live films", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._queue.put(None)
        if self._thread.is_alive():
            self._thread.join(JOIN_TIMEOUT_S)

    # From any thread

    def add_bout(self, info: LiveBoutInfo) -> None:
        """Announce a bout of no contest before it begins, so that watchers can wait for its first
        move."""
        self._queue.put(lambda: self._add_bout(info))

    def add_event(self, info: LiveBoutInfo, event: BoutEvent) -> None:
        """Add the next event of a bout; a first event announces the bout, or restarts it."""
        now = time.monotonic()
        self._queue.put(lambda: self._add_event(info, event, now))

    def end_events(self, id: str) -> None:
        """Say that no more events of a bout will come; until then it is kept."""
        self._queue.put(lambda: self._end_events(id))

    def watch(self, id: str | None) -> None:
        self._queue.put(lambda: self._set_watched(id, watched=True))

    def unwatch(self, id: str | None) -> None:
        self._queue.put(lambda: self._set_watched(id, watched=False))

    def request(self, number: int) -> bool:
        self._queue.put(lambda: self._answer(number))
        return self._thread.is_alive()

    def refresh_access(self) -> None:
        """Look up again how contests may be watched."""
        self._queue.put(lambda: None)  # access is looked up before every pause of the thread

    @property
    def is_watched(self) -> bool:
        """Whether anybody watches a bout or a list."""
        return self._lists_watched or bool(self._watched)

    # In the thread

    def _run(self) -> None:
        while True:
            with contextlib.suppress(queue.Empty):
                task = self._queue.get(timeout=self._call_guarded(self._release_events))
                while task is not None:
                    self._call_guarded(task)
                    task = self._queue.get_nowait()  # everything queued, before the next release
                return

    def _call_guarded(self, task: Callable[[], T]) -> T | None:
        """Log an error instead of raising it, so that one bout cannot stop the films of all
        others."""
        try:
            return task()
        except Exception:
            log.exception("a live bout could not be shown")
            return None

    def _release_events(self) -> float | None:
        """Show every event that may be seen now; gives the seconds until the next one."""
        now = time.monotonic()
        due: list[float] = []
        for bout in list(self._bouts.values()):
            access = self._find_access(bout.info.contest_id)
            if access is None:
                due.append(now + RETRY_ACCESS_S)
                continue
            if bout.has_delayed_events:
                bout.release_events(access.delay, now)
                self._show(bout, private=access.private)
            elif bout.is_appeared:
                bout.appear(private=access.private)
            if (release := bout.next_release(access.delay)) is not None:
                due.append(release)
            elif bout.no_more_events:
                self._remove(bout)
        return max(0.0, min(due) - now) if due else None

    def _answer(self, number: int) -> None:
        self._release_events()
        self._send(RequestHandled(number))

    def _add_bout(self, info: LiveBoutInfo) -> None:
        if info.id not in self._bouts:
            self._bouts[info.id] = bout = FilmedBout(info, self._send)
            bout.appear(private=False)

    def _add_event(self, info: LiveBoutInfo, event: BoutEvent, now: float) -> None:
        if info.id not in self._bouts:
            same = sum(bout.info.contest_id == info.contest_id for bout in self._bouts.values())
            if not isinstance(event, BoutStarted) or same >= MAX_KEPT_BOUTS:
                return
            self._bouts[info.id] = FilmedBout(info, self._send)
        self._bouts[info.id].add_event(event, now)

    def _end_events(self, id: str) -> None:
        if (bout := self._bouts.get(id)) is not None:
            bout.no_more_events = True

    def _show(self, bout: FilmedBout, *, private: bool) -> None:
        """Send watchers what may be seen of a bout now."""
        if not bout.has_visible_events:
            return
        self._list(bout)
        if (
            bout.info.contest_id is None
            or bout.is_appeared
            or bout.id in self._listed
            or self._has_watched_predecessor(bout)
        ):
            self._announce(bout, private=private)
        self._update_filming(bout)
        if bout.is_filmed:
            bout.replay_events()
            self._give_up_unreadable(bout)
        if bout.has_ended and bout.is_appeared:
            self._remember_end(bout.info)

    def _announce(self, bout: FilmedBout, *, private: bool) -> None:
        bout.appear(private=private)
        for before in self._ended_by_match.pop(_match_key(bout.info), ()):
            if before != bout.id:
                self._send(NextBoutAppeared(before, bout.id))

    def _has_watched_predecessor(self, bout: FilmedBout) -> bool:
        ended = self._ended_by_match.get(_match_key(bout.info), ())
        return any(id in self._watched for id in ended)

    # What is filmed

    def _set_watched(self, id: str | None, *, watched: bool) -> None:
        if id is None:
            self._lists_watched = watched
            if not watched:
                self._listed.clear()
                self._ended_listed.clear()
        elif watched:
            self._watched.add(id)
        else:
            self._watched.discard(id)
        for bout in list(self._bouts.values()) if id is None else self._find(id):
            access = self._find_access(bout.info.contest_id)
            if access is not None and bout.has_visible_events:
                self._show(bout, private=access.private)

    def _find(self, id: str) -> list[FilmedBout]:
        return [self._bouts[id]] if id in self._bouts else []

    def _list(self, bout: FilmedBout) -> None:
        """Show a bout in lists, unless they already show enough of its contest."""
        if not self._lists_watched or bout.id in self._listed:
            return
        now = time.monotonic()
        self._ended_listed = [
            (ended, contest) for ended, contest in self._ended_listed if now - ended < LISTED_SLOT_S
        ]
        shown = Counter(info.contest_id for info in self._listed.values())
        shown.update(contest for _, contest in self._ended_listed)
        if shown[bout.info.contest_id] < MAX_LISTED_BOUTS:
            self._listed[bout.id] = bout.info

    def _update_filming(self, bout: FilmedBout) -> None:
        wanted = bout.is_appeared and (bout.id in self._watched or bout.id in self._listed)
        if wanted and not bout.is_filmed and not bout.is_unreadable:
            bout.start_filming()
        elif not wanted and bout.is_filmed:
            bout.stop_filming()

    def _give_up_unreadable(self, bout: FilmedBout) -> None:
        if bout.is_unreadable and bout.is_filmed:
            bout.is_filmed = bout.is_appeared = False
            self._listed.pop(bout.id, None)
            self._send(BoutRemoved(bout.id, ended=False))

    # Ends

    def _remove(self, bout: FilmedBout) -> None:
        del self._bouts[bout.id]
        if self._listed.pop(bout.id, None) is not None:
            self._ended_listed.append((time.monotonic(), bout.info.contest_id))
        if not bout.is_appeared:
            return
        self._send(BoutRemoved(bout.id, ended=bout.has_ended))

    def _remember_end(self, info: LiveBoutInfo) -> None:
        """Remember a finished bout so that its watchers are led to the next one of its match."""
        ended = self._ended_by_match.setdefault(_match_key(info), [])
        if info.id not in ended:
            ended.append(info.id)
        while len(self._ended_by_match) > MAX_REMEMBERED_ENDS:
            del self._ended_by_match[next(iter(self._ended_by_match))]


def _match_key(info: LiveBoutInfo) -> tuple[int | None, str]:
    return info.contest_id, info.match_id or info.id
