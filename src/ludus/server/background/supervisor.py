"""The server's end of the line to its office: starts it, rings, hears, starts it anew."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

PATIENCE = 12.0
"""Seconds that the office may take to stop."""
PAUSE = 1.0
"""Seconds before it is started anew, the first time; then twice as many each time."""
LONGEST = 30.0

Hear = Callable[[dict[str, Any]], None]


class Line:
    """An office that runs until ``close``, whatever happens to it."""

    def __init__(self, given: dict[str, Any], hear: Hear) -> None:
        """``given`` goes to the office; ``hear`` gets what it says, in a thread."""
        self._given, self._hear = given, hear
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()
        self.state: dict[str, Any] = {}
        """What it last said about itself."""
        self.heard = 0.0
        """When it last said so, or was first started; ``time.monotonic``."""
        self.starts = 0

    def start(self) -> None:
        with self._lock:
            if self._thread is None:
                self.heard = time.monotonic()
                self._thread = threading.Thread(target=self._run, name="office", daemon=True)
                self._thread.start()

    def ring(self) -> None:
        """Something has changed: look now."""
        self._say("look")

    def _say(self, word: str) -> None:
        """Never waits: where the line is full, the office has enough to hear, or hangs."""
        process = self._process
        if process is not None and process.stdin is not None:
            with contextlib.suppress(OSError, ValueError):
                os.write(process.stdin.fileno(), f"{word}\n".encode())

    def _run(self) -> None:
        pause = PAUSE
        while not self._closed.is_set():
            began = time.monotonic()
            self._once()
            self.state = {}
            if time.monotonic() - began > LONGEST:
                pause = PAUSE
            self._closed.wait(pause)
            pause = min(LONGEST, 2 * pause)

    def _once(self) -> None:
        """One life of the office."""
        command = [sys.executable, "-P", "-m", "ludus.server.background"]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            process_group=0,
        )
        assert process.stdin is not None
        os.set_blocking(process.stdin.fileno(), False)
        self._process, self.starts = process, self.starts + 1
        self._say(json.dumps(self._given))
        if self._closed.is_set():
            self._say("stop")
        assert process.stdout is not None
        with process:
            for line in process.stdout:
                with contextlib.suppress(ValueError):
                    said = json.loads(line)
                    if said.get("type") == "state":
                        self.state, self.heard = said, time.monotonic()
                    self._hear(said)
        self._process = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    def close(self) -> None:
        """Ask it to stop, and wait; what is under way will be played again."""
        self._closed.set()
        self._say("stop")
        thread = self._thread
        if thread is None:
            return
        thread.join(PATIENCE)
        if (process := self._process) is not None:
            process.kill()
            thread.join(2)
