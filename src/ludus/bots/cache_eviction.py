"""How large the cache may become, and what is removed from it first."""

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
"""What the cache may hold, unless LUDUS_CACHE_MB says otherwise."""
STALE_S = 3600.0
"""Age in seconds at which an unfinished entry is known to be of a process that was killed."""


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """An entry of the cache."""

    key: str
    place: Path
    size: int
    last_used_s: float
    """When it was used last, in seconds since 1970."""


def max_cache_bytes() -> int:
    """Bytes that the cache may hold."""
    given = os.environ.get("LUDUS_CACHE_MB") or str(DEFAULT_CACHE_MB)
    if not given.isascii() or not given.isdecimal() or len(given) > 9:
        raise LudusError(
            f"LUDUS_CACHE_MB={given!r}: expected a number of megabytes",
            f"LUDUS_CACHE_MB={given!r}：应为兆字节数",
        )
    return int(given) << 20


def list_entries(root: Path) -> list[CacheEntry]:
    """Everything that is kept, what was used longest ago first."""
    found = []
    for kind in ENTRY_KINDS:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            for place in (root / kind).iterdir():
                if not place.name.startswith("."):
                    found.append(read_entry(f"{kind}/{place.name}", place))
    return sorted(found, key=lambda each: each.last_used_s)


def read_entry(key: str, place: Path) -> CacheEntry:
    """What is known of one entry."""
    try:
        used = (place / "size").stat().st_mtime
        return CacheEntry(key, place, int((place / "size").read_text()), used)
    except (OSError, ValueError):  # damaged, or of a Ludus that did not count: it goes first
        return CacheEntry(key, place, _measure(place), 0.0)


def _measure(place: Path) -> int:
    size = 0
    with contextlib.suppress(OSError, LudusError):
        for path in walk(place):
            size += path.lstat().st_size
    return size


def make_room(root: Path, size: int) -> None:
    """Remove entries until another of so many bytes fits; LudusError if all are in use."""
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
            f"the cache {root} is full: {most >> 20} MB are allowed, and what is in it is in use;"
            " LUDUS_CACHE_MB allows more",
            f"缓存 {root} 已满：最多 {most >> 20} MB，且其中内容都在使用中；"
            "可用 LUDUS_CACHE_MB 放宽",
        )


def clear(root: Path) -> int:
    """Remove everything that is not in use; tells how many bytes that were."""
    with cache_leases.lock_cache(root):
        _remove_stale(root, 0.0)
        used = cache_leases.list_used_keys(root)
        gone = [each for each in list_entries(root) if each.key not in used]
        for each in gone:
            _evict(each)
    return sum(each.size for each in gone)


def _evict(each: CacheEntry) -> None:
    """Rename it first: a process that is killed here leaves no half of an entry."""
    aside = each.place.with_name(f".old-{secrets.token_hex(8)}")
    with contextlib.suppress(OSError):
        each.place.rename(aside)
    remove_tree(aside)


def _remove_stale(root: Path, age: float = STALE_S) -> None:
    """Remove what killed processes left of entries that they made or removed."""
    before = time.time() - age
    for kind in ENTRY_KINDS:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            for place in (root / kind).iterdir():
                with contextlib.suppress(FileNotFoundError):
                    if place.name.startswith(".old-") or (
                        place.name.startswith(".new-") and place.stat().st_mtime < before
                    ):
                        remove_tree(place)
