"""Bouts that other processes of this machine play, followed through their journals.

A bout costs nothing but reading until somebody looks at it: then it is played again, from its
first move. A journal whose writer has died is removed.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from ludus.match.journal import decode_event
from ludus.server.live.event_replay import EventReplay
from ludus.server.live.film_schemas import MatchPlace
from ludus.server.live.hub import LiveBout, LiveBoutReporter, LiveHub
from ludus.server.live.messages import GoneMessage, NextMessage, encode_message
from ludus.server.records.library import NUMBERED_NAME_PATTERN

JOURNAL_SUFFIX = ".jsonl"
WATCHED_SCAN_INTERVAL_S, IDLE_SCAN_INTERVAL_S = 0.1, 0.5
"""Seconds between two looks, with and without watchers."""
LOCK_GRACE_S = 2.0
"""Seconds that a writer has to lock its new journal."""
READ_CHUNK_BYTES = 1 << 20
ENDED_LINE_PREFIX = b'{"type":"ended"'


class JournalVisibility(Protocol):
    """How a bout is shown."""

    @property
    def delay(self) -> float: ...
    @property
    def private(self) -> bool: ...


class ImmediateVisibility(NamedTuple):
    """To everybody, as it is played."""

    delay: float = 0.0
    private: bool = False


VisibilityLookup = Callable[[str], JournalVisibility | None]
"""How the bout of an id is shown; None: not at all for now."""


class JournaledBout(LiveBout):
    """A bout of another process."""

    def __init__(self, path: Path) -> None:
        super().__init__(path.name.removesuffix(JOURNAL_SUFFIX), "live")
        self.path = path
        self.fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self.unplayed_lines: list[bytes] = []
        """Events that nobody has looked at yet."""
        self.announced = False
        """Whether those who watched the bout before it know of it."""
        self._delayed_lines: deque[tuple[float, bytes]] = deque()
        """Events that may not be seen yet, and when they were written."""
        self.complete = False
        self.unreadable = False
        """It cannot be shown; whoever writes it may still be at it."""
        self._partial_line = b""
        reporter = LiveBoutReporter(self, lambda function, *given: function(*given))
        self._replay = EventReplay(reporter)
        name, _, self.process = self.id.rpartition(".")
        self.name = name
        if found := NUMBERED_NAME_PATTERN.fullmatch(name):
            self.match = MatchPlace(found["stem"], int(found["number"]), of=None)

    @property
    def match_key(self) -> tuple[str, str]:
        """The same for all bouts of one match."""
        return (self.match.id if self.match else self.name, self.process)

    def read(self, shown: JournalVisibility | None) -> None:
        """Take over what has been written since, as far as it may be seen."""
        moment = time.monotonic()
        self.private = shown is None or shown.private
        while chunk := os.read(self.fd, READ_CHUNK_BYTES):
            *lines, self._partial_line = (self._partial_line + chunk).split(b"\n")
            self._delayed_lines += ((moment, line) for line in lines)
        while (
            self._delayed_lines
            and shown is not None
            and moment - self._delayed_lines[0][0] >= shown.delay
        ):
            self.unplayed_lines.append(self._delayed_lines.popleft()[1])
        self.complete = self.complete or any(
            line.startswith(ENDED_LINE_PREFIX) for line in self.unplayed_lines[-1:]
        )

    @property
    def has_events(self) -> bool:
        """Whether there is anything to be seen of it."""
        return bool(self.unplayed_lines or self.films)

    @property
    def has_delayed_events(self) -> bool:
        """Whether some of it may not be seen yet."""
        return bool(self._delayed_lines)

    def catch_up(self) -> None:
        """Play what has been written, and tell the watchers."""
        lines, self.unplayed_lines = self.unplayed_lines, []
        try:
            for line in lines:
                self._replay(decode_event(line))
        except Exception:  # of another Ludus, of a game of other rules, or damaged
            self.unreadable = True

    def is_abandoned(self) -> bool:
        """Whether nobody writes this journal any more."""
        try:
            if time.time() - os.fstat(self.fd).st_mtime < LOCK_GRACE_S:
                return False
            fcntl.flock(self.fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return False
        fcntl.flock(self.fd, fcntl.LOCK_UN)
        return True

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


class JournalFollower:
    """Follows a folder of journals and keeps the hub up to date."""

    def __init__(
        self, folder: Path, hub: LiveHub, terms: VisibilityLookup = lambda _: ImmediateVisibility()
    ) -> None:
        self.folder, self.hub, self.terms = folder, hub, terms
        self.followed: dict[str, JournaledBout] = {}
        self._latest_by_match: dict[tuple[str, str], JournaledBout] = {}

    async def follow(self) -> None:
        """For as long as the server runs."""
        try:
            while True:
                self.scan()
                watched = self.hub.is_watched or any(s.watchers for s in self.followed.values())
                await asyncio.sleep(WATCHED_SCAN_INTERVAL_S if watched else IDLE_SCAN_INTERVAL_S)
        finally:
            for stage in self.followed.values():
                stage.close()

    def scan(self) -> None:
        """One look at the folder and at every journal in it."""
        present = self._list_journals()
        for name in sorted(present - self.followed.keys()):
            self._open(name)
        for name, stage in list(self.followed.items()):
            stage.read(self.terms(stage.id))
            if stage.has_events and not stage.announced:
                self._announce(stage)
            if stage.watchers:
                stage.catch_up()
            if stage.has_delayed_events:
                continue
            if name not in present or stage.complete:
                self._finish(name, stage)
            elif stage.is_abandoned():
                with contextlib.suppress(OSError):
                    stage.path.unlink(missing_ok=True)
                self._finish(name, stage)

    def open_new(self, id: str) -> bool:
        """Whether a journal of that id has appeared since the last look; then follow it, too.

        Costs one look at one name: anybody may ask for any id, again and again.
        """
        name = f"{id}{JOURNAL_SUFFIX}"
        if name in self.followed or name.startswith(".") or os.sep in id or "\0" in id:
            return False
        if not os.path.isfile(self.folder / name):
            return False
        self._open(name)
        if (stage := self.followed.get(name)) is None:
            return False
        stage.read(self.terms(stage.id))
        if stage.has_events:
            self._announce(stage)
        return True

    def _list_journals(self) -> set[str]:
        with contextlib.suppress(OSError):
            names = os.listdir(self.folder)
            return {n for n in names if n.endswith(JOURNAL_SUFFIX) and not n.startswith(".")}
        return set()

    def _open(self, name: str) -> None:
        try:
            stage = JournaledBout(self.folder / name)
        except OSError:
            return
        self.followed[name] = stage
        self.hub.add(stage)

    def _announce(self, stage: JournaledBout) -> None:
        """Lead whoever watched the bout before to this one."""
        stage.announced = True
        before = self._latest_by_match.get(stage.match_key)
        self._latest_by_match[stage.match_key] = stage
        if before is not None:
            before.broadcast(encode_message(NextMessage(stage.id)))

    def _finish(self, name: str, stage: JournaledBout) -> None:
        """The bout is over, or its writer is dead; whoever watched has been told all there is."""
        gone = not (self.folder / name).exists()
        if not stage.complete:
            stage.broadcast(encode_message(GoneMessage()))
        if stage.complete and (stage.films or self.hub.is_watched):  # its end is shown for a while
            stage.catch_up()
        elif gone or not stage.complete:
            self.hub.remove(stage)
        if gone:
            stage.close()
            del self.followed[name]
            self._trim_latest()

    def _trim_latest(self) -> None:
        """Matches long over need no memory."""
        while len(self._latest_by_match) > 256:
            del self._latest_by_match[next(iter(self._latest_by_match))]


def record_name(id: str) -> str:
    """The name of the record that the bout of a journal becomes."""
    return id.rpartition(".")[0]
