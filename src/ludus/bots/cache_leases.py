"""Which entries of the cache are in use, and must not be removed.

Each process has one lease file that lists the entries it used in the last hours. It holds a lock on
that file while it lives. The kernel releases the lock when the process ends, however it ends, so
nothing depends on a process saying goodbye: a lease file that can be locked belongs to a dead
process and is deleted by the next process that looks.

A lock for each entry would be simpler, but a server that runs for weeks would need a descriptor for
every bot it has ever played. And an entry cannot be released explicitly either: bots are started
from it again and again, by code that does not know when the last bout is over. So a use counts for
``LEASE_DURATION_S``, and every start of a bot renews it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

LEASE_DURATION_S = 6 * 3600.0
"""How long an entry counts as in use after a living process has asked for it. A bot's program is
asked for whenever the bot is started."""
LEASES_FOLDER = "leases"
LOCK_FILE = ".lock"

_mutex = threading.RLock()
_files: dict[Path, tuple[int, int, dict[str, float]]] = {}
"""By cache folder: the process id, its lease file's descriptor, and the time of each use by key.
A fork inherits this table, so the process id shows whether the lease file is its own."""
_depth = 0


@contextlib.contextmanager
def lock_cache(root: Path) -> Iterator[None]:
    """Hold the cache's lock, so that no other process changes leases or entries. May be nested."""
    global _depth
    with _mutex:
        if _depth:
            yield
            return
        root.mkdir(parents=True, exist_ok=True)
        handle = os.open(root / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            _depth += 1
            yield
        finally:
            _depth = 0
            os.close(handle)


def note_use(root: Path, key: str) -> None:
    """Record that this process uses an entry from now on, even if it does not exist yet."""
    with lock_cache(root):
        handle, used = _own_lease_file(root)
        now = time.time()
        used[key] = now
        for old in [key for key, at in used.items() if now - at > LEASE_DURATION_S]:
            del used[old]
        os.ftruncate(handle, 0)
        os.pwrite(handle, msgspec.json.encode(used), 0)


def _own_lease_file(root: Path) -> tuple[int, dict[str, float]]:
    known = _files.get(root)
    if known is not None and known[0] == os.getpid():
        return known[1:]
    folder = root / LEASES_FOLDER
    folder.mkdir(exist_ok=True)
    name = folder / f"{os.getpid()}-{secrets.token_hex(4)}"
    handle = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    fcntl.flock(handle, fcntl.LOCK_EX)
    used: dict[str, float] = {}
    _files[root] = (os.getpid(), handle, used)
    return handle, used


def list_used_keys(root: Path) -> set[str]:
    """The keys of the entries that living processes use. Call it with the cache locked."""
    keys: set[str] = set()
    with contextlib.suppress(FileNotFoundError):
        for path in (root / LEASES_FOLDER).iterdir():
            keys |= _read_lease_file(path)
    return keys


def _read_lease_file(path: Path) -> set[str]:
    """The keys in one process's lease file, which is removed if the process has ended."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return set()
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        now = time.time()
        with contextlib.suppress(msgspec.MsgspecError):
            used = msgspec.json.decode(path.read_bytes(), type=dict[str, float])
            return {key for key, at in used.items() if now - at <= LEASE_DURATION_S}
        return set()
    else:
        path.unlink(missing_ok=True)
        return set()
    finally:
        os.close(handle)
