"""The size limit of the cache, and which entries are removed first.

Entries are removed in the order of their last use. Two things make this more than a sort by time.
An entry that a running process uses must stay, even if it is the oldest: its files are mounted in
jails and started again with every bout (see ``cache_leases``). And a process may be killed while it
creates or removes an entry. Unfinished entries have names that start with ``.new-`` or ``.old-``:
an ``.old-`` one is garbage at once, a ``.new-`` one only after ``STALE_S``, because its process may
still be compiling. All of this happens under the cache's lock, so no process can start to use an
entry between the check and its removal.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from dataclasses import dataclass
from pathlib import Path

from ludus.bots import cache_leases
from ludus.bots.walk_folder import walk
from ludus.errors import LudusError
from ludus.sandbox.remove_tree import remove_tree

ENTRY_KINDS = ("bots", "builds")
DEFAULT_CACHE_MB = 2048
"""The size limit, unless LUDUS_CACHE_MB sets another."""
STALE_S = 3600.0
"""Age in seconds after which an unfinished entry counts as left by a killed process."""


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """An entry of the cache with its size and time of last use."""

    key: str
    place: Path
    size: int
    last_used_s: float
    """Time of last use, in seconds since 1970."""


def max_cache_bytes() -> int:
    """The size limit of the cache in bytes."""
    given = os.environ.get("LUDUS_CACHE_MB") or str(DEFAULT_CACHE_MB)
    if not given.isascii() or not given.isdecimal() or len(given) > 9:
        raise LudusError(
            f"LUDUS_CACHE_MB={given!r}: expected a number of megabytes",
            f"LUDUS_CACHE_MB={given!r}：应为兆字节数",
        )
    return int(given) << 20


def list_entries(root: Path) -> list[CacheEntry]:
    """All entries, the least recently used first."""
    entries = []
    for kind in ENTRY_KINDS:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            for place in (root / kind).iterdir():
                if not place.name.startswith("."):
                    entries.append(read_entry(f"{kind}/{place.name}", place))
    return sorted(entries, key=lambda each: each.last_used_s)


def read_entry(key: str, place: Path) -> CacheEntry:
    """The size and time of last use of one entry."""
    try:
        used = (place / "size").stat().st_mtime
        return CacheEntry(key, place, int((place / "size").read_text()), used)
    except (OSError, ValueError):  # damaged, or from an old version without sizes: remove it first
        return CacheEntry(key, place, _measure(place), 0.0)


def _measure(place: Path) -> int:
    size = 0
    with contextlib.suppress(OSError, LudusError):
        for path in walk(place):
            size += path.lstat().st_size
    return size


def make_room(root: Path, size: int) -> None:
    """Remove entries until a new one of ``size`` bytes fits; LudusError if the rest is in use."""
    most = max_cache_bytes()
    with cache_leases.lock_cache(root):
        _remove_stale(root)
        there, used = list_entries(root), cache_leases.list_used_keys(root)
        total = size + sum(each.size for each in there)
        for each in there:
            if total <= most:
                return
            if each.key not in used:
                _evict(each)
                total -= each.size
    if total > most:
        raise LudusError(
            f"the cache {root} is full: {most >> 20} MB are allowed, and all its entries are in"
            " use; set LUDUS_CACHE_MB to allow more",
            f"缓存 {root} 已满：最多 {most >> 20} MB，且所有条目都在使用中；"
            "可用 LUDUS_CACHE_MB 放宽",
        )


def clear(root: Path) -> int:
    """Remove all entries that are not in use; returns how many bytes they had."""
    with cache_leases.lock_cache(root):
        _remove_stale(root, 0.0)
        used = cache_leases.list_used_keys(root)
        gone = [each for each in list_entries(root) if each.key not in used]
        for each in gone:
            _evict(each)
    return sum(each.size for each in gone)


def _evict(each: CacheEntry) -> None:
    """Remove an entry. It is renamed first, so that a killed process leaves no partial entry."""
    aside = each.place.with_name(f".old-{secrets.token_hex(8)}")
    with contextlib.suppress(OSError):
        each.place.rename(aside)
    remove_tree(aside)


def _remove_stale(root: Path, age: float = STALE_S) -> None:
    """Remove unfinished entries of killed processes."""
    before = time.time() - age
    for kind in ENTRY_KINDS:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            for place in (root / kind).iterdir():
                with contextlib.suppress(FileNotFoundError):
                    if place.name.startswith(".old-") or (
                        place.name.startswith(".new-") and place.stat().st_mtime < before
                    ):
                        remove_tree(place)
