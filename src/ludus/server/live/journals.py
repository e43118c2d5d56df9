"""Bouts that other programs on this machine play, followed through their journal files.

A thread reads the journals; ``LiveFilms`` keeps their events and replays them once there are
watchers. A journal whose writer has died is deleted.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
from pathlib import Path

import msgspec

from ludus.match.journal import decode_event
from ludus.match.referee import BoutEnded, BoutEvent
from ludus.server.live.film_updates import LiveBoutInfo
from ludus.server.live.live_films import LiveFilms
from ludus.server.records.library import NUMBERED_NAME_PATTERN

JOURNAL_SUFFIX = ".jsonl"
WATCHED_SCAN_INTERVAL_S, IDLE_SCAN_INTERVAL_S = 0.02, 0.5
"""Seconds between two scans, with and without watchers."""
LOCK_GRACE_S = 2.0
"""Seconds that a writer has to lock its new journal."""
READ_CHUNK_BYTES = 1 << 20
JOIN_TIMEOUT_S = 5.0


class FollowedJournal:
    """Reads the journal of one bout as it is written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.info = describe_journal(path)
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._partial_line = b""
        self.is_complete = False
        """Whether the bout's end has been read."""
        self.is_unreadable = False
        """Whether it is damaged or of another version of Ludus; its writer may still be running."""

    def read_events(self) -> list[BoutEvent]:
        """The events written since the last call."""
        events: list[BoutEvent] = []
        while chunk := os.read(self._fd, READ_CHUNK_BYTES):
            *lines, self._partial_line = (self._partial_line + chunk).split(b"\n")
            if self.is_unreadable:
                continue
            try:
                events += map(decode_event, lines)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                self.is_unreadable = True
        self.is_complete |= any(isinstance(event, BoutEnded) for event in events)
        return events

    def is_abandoned(self) -> bool:
        """Whether no process writes this journal any more."""
        try:
            if time.time() - os.fstat(self._fd).st_mtime < LOCK_GRACE_S:
                return False
            fcntl.flock(self._fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return False
        fcntl.flock(self._fd, fcntl.LOCK_UN)
        return True

    def close(self) -> None:
        os.close(self._fd)


def describe_journal(path: Path) -> LiveBoutInfo:
    """The bout of a journal, named after the record that it will become and the process that plays
    it."""
    id = path.name.removesuffix(JOURNAL_SUFFIX)
    if found := NUMBERED_NAME_PATTERN.fullmatch(record_name(id)):
        return LiveBoutInfo(id, match_id=found["stem"], number=int(found["number"]) - 1)
    return LiveBoutInfo(id)


class JournalFollower:
    """Follows a folder of journals in a thread and passes their events on."""

    def __init__(self, folder: Path, films: LiveFilms) -> None:
        self.folder, self._films = folder, films
        self.followed: dict[str, FollowedJournal] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="journals", daemon=True)
        self._next_abandoned_check = 0.0

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(JOIN_TIMEOUT_S)
        with self._lock:
            for journal in self.followed.values():
                journal.close()
            self.followed.clear()

    def _run(self) -> None:
        pause = 0.0
        while not self._closed.wait(pause):
            self.scan()
            pause = WATCHED_SCAN_INTERVAL_S if self._films.is_watched else IDLE_SCAN_INTERVAL_S

    def scan(self) -> None:
        """Look for new journals and read new events of every journal."""
        with self._lock:
            present = self._list_journals()
            for name in sorted(present - self.followed.keys()):
                self._open(name)
            for name, journal in list(self.followed.items()):
                self._read(journal)
                if name not in present:
                    self._forget(name)
            if time.monotonic() >= self._next_abandoned_check:
                self._next_abandoned_check = time.monotonic() + IDLE_SCAN_INTERVAL_S
                self._remove_abandoned()

    def open_new(self, id: str) -> bool:
        """Whether there is a journal with that id; a new one is followed from now on.

        Checks a single file name, because anybody may ask for any id as often as they like.
        """
        name = f"{id}{JOURNAL_SUFFIX}"
        if name.startswith(".") or os.sep in id or "\0" in id:
            return False
        with self._lock:
            if name not in self.followed and os.path.isfile(self.folder / name):
                self._open(name)
            return name in self.followed

    def _list_journals(self) -> set[str]:
        with contextlib.suppress(OSError):
            names = os.listdir(self.folder)
            return {n for n in names if n.endswith(JOURNAL_SUFFIX) and not n.startswith(".")}
        return set()

    def _open(self, name: str) -> None:
        with contextlib.suppress(OSError):
            journal = self.followed[name] = FollowedJournal(self.folder / name)
            self._films.add_bout(journal.info)
            self._read(journal)

    def _read(self, journal: FollowedJournal) -> None:
        for event in journal.read_events():
            self._films.add_event(journal.info, event)
        if journal.is_unreadable:
            self._films.end_events(journal.info.id)

    def _remove_abandoned(self) -> None:
        for name, journal in list(self.followed.items()):
            if not journal.is_complete and journal.is_abandoned():
                with contextlib.suppress(OSError):
                    journal.path.unlink(missing_ok=True)
                self._forget(name)

    def _forget(self, name: str) -> None:
        """Stop following: the bout is over and its record saved, or its writer is dead."""
        journal = self.followed.pop(name)
        journal.close()
        self._films.end_events(journal.info.id)


def record_name(id: str) -> str:
    """The name of the record that the bout of a journal will become."""
    return id.rpartition(".")[0]
