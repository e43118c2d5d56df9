"""Health checks: can the server write, is its database intact, does the background process run?"""

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
"""Bytes that must be free on the disk of the home."""
CACHE_LIFETIME_S = 5.0
"""Seconds for which a result is cached: anybody may ask, and a check writes to the disk."""
INTEGRITY_CHECK_INTERVAL_S = 6 * 3600.0
"""Seconds between two checks of the whole database."""
BACKGROUND_SILENCE_LIMIT_S = 60.0
"""Seconds without a message after which the background process counts as dead; a restart takes
some."""
OK = "ok"


@dataclass
class HealthChecks:
    """The results of a server's checks by name, each ``ok`` or what is wrong; for any thread."""

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
                    "disk": self._check_disk(),
                    "database": self._check_database(),
                    "background": self._check_background(),
                }
                self._cached = (self.clock(), found)
            return self._cached[1]

    def _check_disk(self) -> str:
        """Check by writing a file: quotas and read-only file systems do not show in the free
        space."""
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

    def _check_database(self) -> str:
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
        """A background process that was never started is not needed, so this passes."""
        if not self.background.start_count:
            return OK
        silent = self.clock() - self.background.last_heard
        if silent > BACKGROUND_SILENCE_LIMIT_S:
            return f"silent for {silent:.0f} s; started {self.background.start_count} times"
        return str(self.background.state.get("trouble", "")) or OK

    async def run_periodically(self) -> None:
        """Check the whole database from time to time."""
        while True:
            if self.database.exists():
                with contextlib.suppress(DatabaseUnavailable):
                    await asyncio.to_thread(self.database.check_integrity)
            await asyncio.sleep(INTEGRITY_CHECK_INTERVAL_S)
