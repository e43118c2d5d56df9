"""Starts and restarts the background process and exchanges messages with it."""

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

from ludus.server.live.film_updates import UPDATE_TYPES, LiveUpdate, decode_update

log = logging.getLogger(__name__)

STOP_TIMEOUT_S = 12.0
"""Seconds that the background process may take to stop."""
FIRST_RESTART_DELAY_S = 1.0
"""Seconds before the first restart; doubled for each further one."""
MAX_RESTART_DELAY_S = 30.0

USUAL_START_S = 20.0
"""Seconds within which a process that was started reports, even on a busy machine."""

MessageHandler = Callable[[dict[str, Any]], None]


class SourceState(enum.Enum):
    """Whether the process has started or ended, for those who show its films."""

    STARTED = "started"
    ENDED = "ended"


UpdateHandler = Callable[[LiveUpdate | SourceState], None]


class MessageType(msgspec.Struct):
    """The part of a message that is decoded first."""

    type: str


class BackgroundSupervisor:
    """Keeps a background process running until ``close``."""

    def __init__(
        self,
        given: dict[str, Any],
        on_message: MessageHandler,
        on_update: UpdateHandler = lambda _: None,
    ) -> None:
        """``given`` is sent to the process at its start; ``on_message`` gets its messages and
        ``on_update`` its updates about live bouts, both in a thread."""
        self._config, self._on_message, self._on_update = given, on_message, on_update
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()
        self.state: dict[str, Any] = {}
        """Its last status report."""
        self.last_heard = 0.0
        """The time of that report, or of the first start; ``time.monotonic``."""
        self.start_count = 0
        self._checks: dict[int, tuple[float, dict[str, Any]]] = {}
        """The checks under way by version: when each was first heard of, and how far it is."""

    def start(self) -> None:
        with self._lock:
            if self._thread is None:
                self.last_heard = time.monotonic()
                self._thread = threading.Thread(target=self._run, name="background", daemon=True)
                self._thread.start()

    def wake(self) -> None:
        """Tell the process that something has changed."""
        self._send("look")

    def watch(self, id: str | None) -> None:
        """Have a bout filmed or, with None, all bouts that lists show."""
        self._send("watch" if id is None else f"watch {id}")

    def unwatch(self, id: str | None) -> None:
        self._send("unwatch" if id is None else f"unwatch {id}")

    def request(self, number: int) -> bool:
        """Ask for a ``RequestHandled`` after everything asked so far; False if the process is not
        ready."""
        return bool(self.state) and self._send(f"request {number}")

    def _send(self, line: str) -> bool:
        """Send a line without ever blocking; dropped if the pipe is full, since the process then
        has enough to read, or hangs."""
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
        """Run the process once, until it ends."""
        command = [sys.executable, "-P", "-m", "ludus.server.background"]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,
        )
        assert process.stdin is not None
        os.set_blocking(process.stdin.fileno(), False)
        with contextlib.suppress(OSError):  # it ended at once
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
                    kind = msgspec.json.decode(line, type=MessageType).type
                    if kind in UPDATE_TYPES:
                        self._on_update(decode_update(line))
                        continue
                    message = json.loads(line)
                    if kind == "check":
                        began, _ = self._checks.get(message["id"], (time.monotonic(), None))
                        self._checks[message["id"]] = began, message["progress"]
                        continue
                    if kind == "version":
                        self._checks.pop(message["id"], None)
                    if kind == "state":
                        self.state, self.last_heard = message, time.monotonic()
                    self._on_message(message)
        self._process = None
        self._checks.clear()
        self._on_update(SourceState.ENDED)

    @property
    def is_starting(self) -> bool:
        """Whether the process has yet to report, but may still do so soon."""
        return not self.state and time.monotonic() - self.last_heard < USUAL_START_S

    def find_check(self, version_id: int) -> tuple[float, dict[str, Any]] | None:
        """How many seconds the check of a version has taken and how far it is (the fields of
        ``CheckProgress``); None if it has not begun or is over."""
        if (found := self._checks.get(version_id)) is None:
            return None
        began, progress = found
        return time.monotonic() - began, progress

    def keeps_waiting(self, contest_id: int) -> bool:
        """Whether a running contest has no bouts under way because every worker plays others."""
        state = self.state
        busy = bool(state) and state["busy"] >= state["places"]
        return busy and contest_id not in state["playing"]

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    def close(self) -> None:
        """Ask the process to stop and wait for it; unfinished bouts will be played again."""
        self._closed.set()
        self._send("stop")
        thread = self._thread
        if thread is None:
            return
        thread.join(STOP_TIMEOUT_S)
        if (process := self._process) is not None:
            process.kill()
            thread.join(2)
