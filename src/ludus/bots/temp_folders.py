"""Temporary folders that are removed even if their process was killed.

A process holds a lock on each of its folders while it lives. When a process creates its first
temporary folder, and when a server starts, the unlocked folders of earlier processes are removed.
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
    """An empty folder; ``cleanup``, or the end of a ``with``, removes it with its content."""

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
        """Remove the folder; may be called twice."""
        if self._lock >= 0:
            remove_tree(self.name, locked=True)
            os.close(self._lock)
            self._lock = -1


def sweep_temp_folders() -> int:
    """Remove the folders of processes that have ended; returns how many."""
    _swept.set()
    count = 0
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX):
                with contextlib.suppress(OSError):
                    count += _remove_if_abandoned(entry.path)
    return count


def _remove_if_abandoned(path: str) -> bool:
    """Remove a folder of this user that no process has locked."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        facts = os.fstat(handle)
        ours = facts.st_uid == os.geteuid() and stat.S_ISDIR(facts.st_mode)
        if not ours or time.time() - facts.st_ctime < MIN_SWEEP_AGE_S:
            return False
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove_tree(path, locked=True)
        return True
    finally:
        os.close(handle)
