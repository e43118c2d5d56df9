"""Whether the server is well: can it write, is its database whole, is the office alive?"""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ludus.scheduling.database import StoreTrouble
from ludus.server.background.supervisor import Line
from ludus.server.database import Database

LEAST_FREE = 64 << 20
"""Bytes that must be free where the home is; below, it is a matter of minutes."""
FRESH = 5.0
"""Seconds for which an answer is kept: anybody may ask, and asking writes to the disk."""
LOOK_EVERY = 6 * 3600.0
"""Seconds between two looks through the whole database."""
OFFICE_LATE = 60.0
"""Seconds that an office may be silent, for instance while it is started anew."""
OK = "ok"


@dataclass
class Health:
    """The checks of a server by name, each with ``ok`` or what is wrong; any thread."""

    folder: Path
    database: Database
    office: Line
    clock: Callable[[], float] = time.monotonic
    statvfs: Callable[[Path], os.statvfs_result] = os.statvfs
    _known: tuple[float, dict[str, str]] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def checks(self) -> dict[str, str]:
        with self._lock:
            if self._known is None or self.clock() - self._known[0] > FRESH:
                found = {
                    "disk": self._disk(),
                    "database": self._database(),
                    "office": self._office(),
                }
                self._known = (self.clock(), found)
            return self._known[1]

    def _disk(self) -> str:
        """By really writing: quotas and read-only file systems do not show in numbers."""
        try:
            free = self.statvfs(self.folder)
            if free.f_bavail * free.f_frsize < LEAST_FREE:
                return f"only {free.f_bavail * free.f_frsize >> 20} MB are free"
            with tempfile.TemporaryFile(dir=self.folder) as file:
                file.write(bytes(4096))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            return f"cannot be written to: {error.strerror}"
        return OK

    def _database(self) -> str:
        if not self.database.exists():
            return OK
        if self.database.damage is not None:
            return self.database.damage.text["en"]
        try:
            with self.database.reading() as session:
                session.connection().exec_driver_sql("SELECT 1 FROM users LIMIT 1")
        except StoreTrouble as trouble:
            return trouble.text["en"]
        return OK

    def _office(self) -> str:
        """An office that was never started has nothing to do."""
        if not self.office.starts:
            return OK
        silent = self.clock() - self.office.heard
        if silent > OFFICE_LATE:
            return f"silent for {silent:.0f} s; started {self.office.starts} times"
        return str(self.office.state.get("trouble", "")) or OK

    async def tend(self) -> None:
        """Look through the whole database now and then."""
        while True:
            if self.database.exists():
                with contextlib.suppress(StoreTrouble):
                    await asyncio.to_thread(self.database.look_for_damage)
            await asyncio.sleep(LOOK_EVERY)
