"""The records saved on this machine: found by name, listed newest first."""

from __future__ import annotations

import gzip
import os
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ludus.errors import LudusError
from ludus.match import record as records
from ludus.match.note_files import NotesFile, read_notes_file
from ludus.match.record import SUFFIX, Record
from ludus.server.live.film import make_film
from ludus.server.live.film_schemas import BoutSummary, MatchPlace, SummaryPage
from ludus.server.records.player_names import NamedPlayers
from ludus.server.records.summary import summarize_record

NUMBERED_NAME_PATTERN = re.compile(r"(?P<stem>.+)-(?P<number>\d+)(?P<again>\.\d+)?")
"""``20250131-235959-duel2048-greedy-random-03``: the third bout of a match."""
MAX_CACHED_SUMMARIES = 20_000
"""How many summaries are cached."""
FILM_CACHE_BYTES = 32 << 20
"""Bytes of gzipped films that are cached."""


class FilmCache:
    """A cache of gzipped films; the least recently used are dropped first."""

    def __init__(self, most: int = FILM_CACHE_BYTES) -> None:
        self.most, self.size = most, 0
        self._films: OrderedDict[Any, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get_or_create(self, key: Any, make: Callable[[], bytes]) -> bytes:
        """The film under a key; created if it is not cached."""
        with self._lock:
            if key in self._films:
                self._films.move_to_end(key)
                return self._films[key]
        film = gzip.compress(make(), 6, mtime=0)
        with self._lock:
            if key not in self._films:
                self._films[key] = film
                self.size += len(film)
            while self.size > self.most and len(self._films) > 1:
                self.size -= len(self._films.popitem(last=False)[1])
        return film


class RecordLibrary:
    """The folder of saved records."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.film_cache = FilmCache()
        self._summaries: OrderedDict[tuple[str, int], BoutSummary | None] = OrderedDict()
        self._lock = threading.Lock()

    def find_path(self, id: str) -> Path | None:
        """The file of a record; an id is a file's name, never a path."""
        if not id or id.startswith(".") or os.sep in id or "\0" in id:
            return None
        path = self.folder / f"{id}{SUFFIX}"
        try:
            return path if path.is_file() else None
        except OSError:
            return None

    def read_record(self, id: str) -> Record | None:
        path = self.find_path(id)
        return records.read(path) if path else None

    def read_notes(self, id: str) -> NotesFile | None:
        """The notes of all bots beside a record, whoever may read them."""
        path = self.find_path(id)
        return read_notes_file(records.read(path), path) if path else None

    def load_film(self, id: str) -> bytes | None:
        """The gzipped film of a record, or None if there is no such record."""
        path = self.find_path(id)
        if path is None:
            return None
        describe_match = self.find_match_place(id)
        key = (id, path.stat().st_mtime_ns, describe_match and describe_match.of)
        return self.film_cache.get_or_create(
            key, lambda: make_film(records.read(path), id, "record", describe_match).encode()
        )

    def find_match_place(self, id: str) -> MatchPlace | None:
        """The place of a record in its match, with its neighbours; None if it belongs to no
        match."""
        found = NUMBERED_NAME_PATTERN.fullmatch(id)
        if not found:
            return None
        stem = found["stem"]
        numbers = {}
        for path in self.folder.glob(f"{escape_glob(stem)}-*{SUFFIX}"):
            other = NUMBERED_NAME_PATTERN.fullmatch(path.stem)
            if other and other["stem"] == stem and other["again"] == found["again"]:
                numbers[int(other["number"])] = path.stem
        number = int(found["number"])
        return MatchPlace(
            id=stem,
            number=number,
            of=len(numbers),
            previous=numbers.get(number - 1),
            next=numbers.get(number + 1),
        )

    def list_page(
        self, game: str | None, named: NamedPlayers | None, before: str | None, limit: int
    ) -> SummaryPage:
        """Summaries, newest first; ``next`` is the ``before`` of the next page. ``named``: only
        bouts of these players."""
        items: list[BoutSummary] = []
        cursor = ""
        for place, path in self._iter_newest_first(before):
            summary = self._summarize(path, place[0])
            if summary is None or (game and summary.game.name != game):
                continue
            if named is not None and not any(map(named.match, summary.players)):
                continue
            if len(items) == limit:
                return SummaryPage(items, cursor)
            items.append(summary)
            cursor = f"{place[0]}:{place[1]}"
        return SummaryPage(items, None)

    def _iter_newest_first(self, before: str | None) -> Iterator[tuple[tuple[int, str], Path]]:
        """Every file with its time and name, newest first."""
        start = _parse_cursor(before)
        try:
            entries = [entry for entry in os.scandir(self.folder) if entry.name.endswith(SUFFIX)]
            places = [
                ((entry.stat().st_mtime_ns, entry.name.removesuffix(SUFFIX)), Path(entry.path))
                for entry in entries
                if not entry.name.startswith(".")
            ]
        except OSError:
            return
        yield from sorted(each for each in places if start is None or each[0] < start)[::-1]

    def _summarize(self, path: Path, changed: int) -> BoutSummary | None:
        """The summary of a record; None for a file that is not a record."""
        key = (path.stem, changed)
        with self._lock:
            if key in self._summaries:
                return self._summaries[key]
        found = NUMBERED_NAME_PATTERN.fullmatch(path.stem)
        match = MatchPlace(found["stem"], int(found["number"])) if found else None
        try:
            summary = summarize_record(records.read(path), path.stem, match=match)
        except LudusError:
            summary = None
        with self._lock:
            self._summaries[key] = summary
            if len(self._summaries) > MAX_CACHED_SUMMARIES:
                self._summaries.popitem(last=False)
        return summary


def _parse_cursor(cursor: str | None) -> tuple[int, str] | None:
    if not cursor:
        return None
    when, colon, name = cursor.partition(":")
    if not colon or not when.isdecimal():
        raise LudusError("`before` must be the `next` of an earlier page", "before 参数无效")
    return int(when), name


def escape_glob(text: str) -> str:
    """The text as a pattern that matches only itself."""
    return re.sub(r"([*?[])", r"[\1]", text)
