"""The server's end of the line to its office: starts it, rings, hears, starts it anew."""

from __future__ import annotations

import contextlib
import enum
import json
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import msgspec

from ludus.server.live.updates import UPDATE_TYPES, LiveUpdate, decode_update

log = logging.getLogger(__name__)

STOP_TIMEOUT_S = 12.0
"""Seconds that the office may take to stop."""
FIRST_RESTART_DELAY_S = 1.0
"""Seconds before it is started anew, the first time; then twice as many each time."""
MAX_RESTART_DELAY_S = 30.0

MessageHandler = Callable[[dict[str, Any]], None]


class SourceState(enum.Enum):
    """What became of the process, for those who show the bouts that it films."""

    STARTED = "started"
    ENDED = "ended"


UpdateHandler = Callable[[LiveUpdate | SourceState], None]


class MessageType(msgspec.Struct):
    """What is read first of a message."""

    type: str


class BackgroundSupervisor:
    """An office that runs until ``close``, whatever happens to it."""

    def __init__(
        self,
        given: dict[str, Any],
        hear: MessageHandler,
        hear_update: UpdateHandler = lambda _: None,
    ) -> None:
        """``given`` goes to the process; ``hear`` gets what it says, and ``hear_update`` what it
        says about bouts under way, both in a thread."""
        self._config, self._on_message, self._on_update = given, hear, hear_update
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()
        self.state: dict[str, Any] = {}
        """What it last said about itself."""
        self.last_heard = 0.0
        """When it last said so, or was first started; ``time.monotonic``."""
        self.start_count = 0

    def start(self) -> None:
        with self._lock:
            if self._thread is None:
                self.last_heard = time.monotonic()
                self._thread = threading.Thread(target=self._run, name="office", daemon=True)
                self._thread.start()

    def wake(self) -> None:
        """Something has changed: look now."""
        self._send("look")

    def watch(self, id: str | None) -> None:
        """Somebody watches a bout, or (None) the lists of bouts."""
        self._send("watch" if id is None else f"watch {id}")

    def unwatch(self, id: str | None) -> None:
        self._send("unwatch" if id is None else f"unwatch {id}")

    def request(self, number: int) -> bool:
        """Ask for a ``RequestHandled`` after everything asked so far; False: nobody is there, or
        is only beginning."""
        return bool(self.state) and self._send(f"request {number}")

    def _send(self, line: str) -> bool:
        """Never waits: where the pipe is full, the process has enough to hear, or hangs."""
        process = self._process
        if process is not None and process.stdin is not None:
            with contextlib.suppress(OSError, ValueError):
                os.write(process.stdin.fileno(), f"{line}\n".encode())
                return True
        return False

    def _run(self) -> None:
        pause = FIRST_RESTART_DELAY_S
        while not self._closed.is_set():
            began = time.monotonic()
            self._run_once()
            self.state = {}
            if not self._closed.is_set():
                log.warning("the background process has ended; another starts in %g s", pause)
            if time.monotonic() - began > MAX_RESTART_DELAY_S:
                pause = FIRST_RESTART_DELAY_S
            self._closed.wait(pause)
            pause = min(MAX_RESTART_DELAY_S, 2 * pause)

    def _run_once(self) -> None:
        """One life of the office."""
        command = [sys.executable, "-P", "-m", "ludus.server.background"]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,
        )
        assert process.stdin is not None
        os.set_blocking(process.stdin.fileno(), False)
        with contextlib.suppress(OSError):  # it has ended at once
            os.write(process.stdin.fileno(), json.dumps(self._config).encode() + b"\n")
        self._process, self.start_count = process, self.start_count + 1
        log.info("the background process runs as process %d", process.pid)
        if self._closed.is_set():
            self._send("stop")
        self._on_update(SourceState.STARTED)
        assert process.stdout is not None
        with process:
            for line in process.stdout:
                with contextlib.suppress(ValueError, msgspec.MsgspecError):
                    self._handle_line(line)
        self._process = None
        self._on_update(SourceState.ENDED)

    def _handle_line(self, line: bytes) -> None:
        kind = msgspec.json.decode(line, type=MessageType).type
        if kind in UPDATE_TYPES:
            self._on_update(decode_update(line))
            return
        said = json.loads(line)
        if kind == "state":
            self.state, self.last_heard = said, time.monotonic()
        self._on_message(said)

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    def close(self) -> None:
        """Ask it to stop, and wait; what is under way will be played again."""
        self._closed.set()
        self._send("stop")
        thread = self._thread
        if thread is None:
            return
        thread.join(STOP_TIMEOUT_S)
        if (process := self._process) is not None:
            process.kill()
            thread.join(2)
