"""Who uses which entries of the cache, told by files that the kernel unlocks when a process ends.

Each process has one file, locked as long as it lives, that lists the entries it used lately. A lock
for each entry would be simpler, but a server that plays for weeks would run out of descriptors.
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
"""So long after it was asked for an entry counts as in use by a process that is alive. A bot's
program is asked for whenever the bot is started."""
LEASES_FOLDER = "leases"
LOCK_FILE = ".lock"

_mutex = threading.RLock()
_files: dict[Path, tuple[int, int, dict[str, float]]] = {}
"""By cache: the process, its descriptor, and the times when it used which entries."""
_depth = 0


@contextlib.contextmanager
def lock_cache(root: Path) -> Iterator[None]:
    """Nobody else notes, forgets or adds anything meanwhile. May be nested."""
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
    """From now on this process uses an entry, whether it is there yet or not."""
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
    """The entries that living processes use. Call it with the cache locked."""
    found: set[str] = set()
    with contextlib.suppress(FileNotFoundError):
        for path in (root / LEASES_FOLDER).iterdir():
            found |= _read_lease_file(path)
    return found


def _read_lease_file(path: Path) -> set[str]:
    """What is in one process's file, which is removed if the process is gone."""
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
