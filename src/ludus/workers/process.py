"""Worker processes from the pool's side: starting, sending tasks, receiving, stopping.

They are new interpreters, not forks: a fork would inherit the locks of other threads and the open
files of this process.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from multiprocessing.connection import Pipe
from typing import Any

from ludus.errors import PlatformFault
from ludus.workers.task import Task, TaskSetup
from ludus.workers.worker import MessageKind

SHUTDOWN_GRACE_S = 5.0
"""Seconds that workers have to stop their bots and exit."""
WORKER_SCRIPT = "from ludus.workers.worker import main; main()"


class WorkerProcess:
    """A worker process on one core, from the pool's side."""

    def __init__(self, core: int) -> None:
        self.is_busy = False
        self._setup: TaskSetup | None = None
        """The setup that the worker keeps, if any."""
        self.pipe, theirs = Pipe()
        numbers = map(str, (theirs.fileno(), os.getpid(), core))
        path = os.pathsep.join(filter(None, sys.path))
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", WORKER_SCRIPT, *numbers],
                stdin=subprocess.DEVNULL,
                stdout=2,  # bots in the worker's own process may print
                pass_fds=(theirs.fileno(),),
                env={**os.environ, "PYTHONPATH": path},
                process_group=0,  # Ctrl-C must reach only this process, which then ends the workers
            )
        except OSError as error:
            self.pipe.close()
            raise PlatformFault(f"a worker process could not be started: {error}") from error
        finally:
            theirs.close()

    def send_task(self, task: Task, items: Sequence[Any]) -> None:
        """Send items of a task; if the worker has the task's setup already, only the items."""
        batch = tuple(items)
        continues = not task.ends_setup and task.setup == self._setup
        self._setup, self.is_busy = None if task.ends_setup else task.setup, True
        with contextlib.suppress(OSError):  # it is dead: ``receive`` will show that
            self.pipe.send(batch if continues else dataclasses.replace(task, items=batch))

    def receive(self) -> tuple[MessageKind, Any] | None:
        """The next message, or None if the worker has died."""
        try:
            kind, content = self.pipe.recv()
        except (EOFError, OSError):
            return None
        if kind >= MessageKind.FINISHED:
            self._setup = None
        return kind, content

    def reap(self) -> str:
        """Wait for a dead worker; returns how it ended: a signal name or exit code."""
        self.pipe.close()
        self.process.kill()
        code = self.process.wait()
        return signal.Signals(-code).name if code < 0 else f"exit {code}"


def stop_workers(workers: Sequence[WorkerProcess]) -> None:
    """Stop workers: idle ones exit when their pipe is closed, busy ones get a signal."""
    for worker in workers:
        worker.pipe.close()
        if worker.is_busy:
            worker.process.terminate()
    until = time.monotonic() + SHUTDOWN_GRACE_S
    try:
        for worker in workers:
            with contextlib.suppress(subprocess.TimeoutExpired):
                worker.process.wait(max(0.0, until - time.monotonic()))
    finally:
        for worker in workers:
            worker.process.kill()
            worker.process.wait()
