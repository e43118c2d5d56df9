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

from ludus.scheduling.database import DatabaseUnavailable
from ludus.server.background.supervisor import BackgroundSupervisor
from ludus.server.database import Database

MIN_FREE_BYTES = 64 << 20
"""Bytes that must be free where the home is; below, it is a matter of minutes."""
CACHE_LIFETIME_S = 5.0
"""Seconds for which an answer is kept: anybody may ask, and asking writes to the disk."""
INTEGRITY_CHECK_INTERVAL_S = 6 * 3600.0
"""Seconds between two looks through the whole database."""
BACKGROUND_SILENCE_LIMIT_S = 60.0
"""Seconds that an office may be silent, for instance while it is started anew."""
OK = "ok"


@dataclass
class HealthChecks:
    """The checks of a server by name, each with ``ok`` or what is wrong; any thread."""

    folder: Path
    database: Database
    background: BackgroundSupervisor
    clock: Callable[[], float] = time.monotonic
    statvfs: Callable[[Path], os.statvfs_result] = os.statvfs
    _cached: tuple[float, dict[str, str]] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run_checks(self) -> dict[str, str]:
        with self._lock:
            if self._cached is None or self.clock() - self._cached[0] > CACHE_LIFETIME_S:
                found = {
                    "disk": self._disk(),
                    "database": self._database(),
                    "office": self._check_background(),
                }
                self._cached = (self.clock(), found)
            return self._cached[1]

    def _disk(self) -> str:
        """By really writing: quotas and read-only file systems do not show in numbers."""
        try:
            free = self.statvfs(self.folder)
            if free.f_bavail * free.f_frsize < MIN_FREE_BYTES:
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
        except DatabaseUnavailable as trouble:
            return trouble.text["en"]
        return OK

    def _check_background(self) -> str:
        """An office that was never started has nothing to do."""
        if not self.background.start_count:
            return OK
        silent = self.clock() - self.background.last_heard
        if silent > BACKGROUND_SILENCE_LIMIT_S:
            return f"silent for {silent:.0f} s; started {self.background.start_count} times"
        return str(self.background.state.get("trouble", "")) or OK

    async def run_periodically(self) -> None:
        """Look through the whole database now and then."""
        while True:
            if self.database.exists():
                with contextlib.suppress(DatabaseUnavailable):
                    await asyncio.to_thread(self.database.check_integrity)
            await asyncio.sleep(INTEGRITY_CHECK_INTERVAL_S)
