"""Temporary folders that disappear, also when whoever made them was killed.

A folder is locked as long as its process lives. The first one that a process makes, and every
server when it starts, removes those that nobody holds any more.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import tempfile
import threading
import time
from pathlib import Path

from ludus.sandbox.remove_tree import remove_tree

PREFIX = "ludus-tmp-"
MIN_SWEEP_AGE_S = 60.0
"""A folder younger than this may not be locked yet."""

_swept = threading.Event()


class TempFolder:
    """An empty folder; ``cleanup``, or the end of a ``with``, removes it whatever is in it."""

    def __init__(self, purpose: str) -> None:
        if not _swept.is_set():
            sweep_temp_folders()
        self.name = tempfile.mkdtemp(prefix=f"{PREFIX}{purpose}-")
        self._lock = os.open(self.name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(self._lock, fcntl.LOCK_SH)

    def __enter__(self) -> Path:
        return Path(self.name)

    def __exit__(self, *_: object) -> None:
        self.cleanup()

    def cleanup(self) -> None:
        """May be called twice."""
        if self._lock >= 0:
            remove_tree(self.name)
            os.close(self._lock)
            self._lock = -1


def sweep_temp_folders() -> int:
    """Remove the folders of processes that are gone; tells how many."""
    _swept.set()
    count = 0
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX):
                with contextlib.suppress(OSError):
                    count += _remove_if_abandoned(entry.path)
    return count


def _remove_if_abandoned(path: str) -> bool:
    """Remove a folder of ours that nobody holds."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        facts = os.fstat(handle)
        ours = facts.st_uid == os.geteuid() and stat.S_ISDIR(facts.st_mode)
        if not ours or time.time() - facts.st_ctime < MIN_SWEEP_AGE_S:
            return False
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove_tree(path)
        return True
    finally:
        os.close(handle)
