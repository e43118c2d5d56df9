"""The records of this machine: found by name, listed newest first, never stored twice."""

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
from ludus.match.record import SUFFIX, Record
from ludus.server.live.film import film_of
from ludus.server.records.summary import summary_of

NUMBERED = re.compile(r"(?P<stem>.+)-(?P<number>\d+)(?P<again>\.\d+)?")
"""``20250131-235959-duel2048-greedy-random-03``: the third bout of a match."""
REMEMBERED = 20_000
"""Summaries kept in memory."""
FILMS_KEPT = 32 << 20
"""Bytes of packed films kept in memory."""


class Packed:
    """Packed films, the least used of them forgotten first."""

    def __init__(self, most: int = FILMS_KEPT) -> None:
        self.most, self.size = most, 0
        self._films: OrderedDict[Any, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Any, make: Callable[[], bytes]) -> bytes:
        """The film under a key, made if it is not there."""
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


class Library:
    """The folder of saved records."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.packed = Packed()
        self._summaries: OrderedDict[tuple[str, int], dict[str, Any] | None] = OrderedDict()
        self._lock = threading.Lock()

    def path(self, id: str) -> Path | None:
        """The file of a record; an id is a file's name, never a path."""
        if not id or id.startswith(".") or os.sep in id or "\0" in id:
            return None
        path = self.folder / f"{id}{SUFFIX}"
        try:
            return path if path.is_file() else None
        except OSError:
            return None

    def record(self, id: str) -> Record | None:
        path = self.path(id)
        return records.read(path) if path else None

    def film(self, id: str) -> bytes | None:
        """The packed film of a record, or None if there is no such record."""
        path = self.path(id)
        if path is None:
            return None
        match = self.match(id)
        key = (id, path.stat().st_mtime_ns, match and match["of"])
        return self.packed.get(
            key, lambda: film_of(records.read(path), id, "record", match).encode()
        )

    def match(self, id: str) -> dict[str, Any] | None:
        """Which bout of which match a record is, with its neighbours; None if of no match."""
        found = NUMBERED.fullmatch(id)
        if not found:
            return None
        stem = found["stem"]
        numbers = {}
        for path in self.folder.glob(f"{glob_text(stem)}-*{SUFFIX}"):
            other = NUMBERED.fullmatch(path.stem)
            if other and other["stem"] == stem and other["again"] == found["again"]:
                numbers[int(other["number"])] = path.stem
        number = int(found["number"])
        return {
            "id": stem,
            "number": number,
            "of": len(numbers),
            "previous": numbers.get(number - 1),
            "next": numbers.get(number + 1),
        }

    def page(
        self, game: str | None, bot: str | None, before: str | None, limit: int
    ) -> dict[str, Any]:
        """Summaries, newest first; ``next`` is where the following page begins."""
        items: list[dict[str, Any]] = []
        cursor = ""
        for place, path in self._after(before):
            summary = self._summary(path, place[0])
            if summary is None or (game and summary["game"]["name"] != game):
                continue
            if bot and bot not in [player["name"] for player in summary["players"]]:
                continue
            if len(items) == limit:
                return {"items": items, "next": cursor}
            items.append(summary)
            cursor = f"{place[0]}:{place[1]}"
        return {"items": items, "next": None}

    def _after(self, before: str | None) -> Iterator[tuple[tuple[int, str], Path]]:
        """Every file with when it was written and its name, newest first."""
        start = _place(before)
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

    def _summary(self, path: Path, changed: int) -> dict[str, Any] | None:
        """A record in a few words; None for a file that is no record."""
        key = (path.stem, changed)
        with self._lock:
            if key in self._summaries:
                return self._summaries[key]
        found = NUMBERED.fullmatch(path.stem)
        match = {"id": found["stem"], "number": int(found["number"])} if found else None
        try:
            summary = summary_of(records.read(path), path.stem, match=match)
        except LudusError:
            summary = None
        with self._lock:
            self._summaries[key] = summary
            if len(self._summaries) > REMEMBERED:
                self._summaries.popitem(last=False)
        return summary


def _place(cursor: str | None) -> tuple[int, str] | None:
    if not cursor:
        return None
    when, colon, name = cursor.partition(":")
    if not colon or not when.isdecimal():
        raise LudusError("`before` is not what an earlier page gave", "before 参数无效")
    return int(when), name


def glob_text(text: str) -> str:
    """The text as a pattern that matches nothing else."""
    return re.sub(r"([*?[])", r"[\1]", text)
