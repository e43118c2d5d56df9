"""Worker processes as a pool sees them: started, spoken to, and ended.

They are fresh interpreters, not forks: a fork would inherit the locks of other threads and the
open files of the process that plays.
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
"""Seconds that workers may take to end what they have started and themselves."""
WORKER_SCRIPT = "from ludus.workers.worker import main; main()"


class WorkerProcess:
    """A process that works on one core, seen from outside."""

    def __init__(self, core: int) -> None:
        self.is_busy = False
        self._setup: TaskSetup | None = None
        """What it has begun and keeps."""
        self.pipe, theirs = Pipe()
        numbers = map(str, (theirs.fileno(), os.getpid(), core))
        path = os.pathsep.join(filter(None, sys.path))
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", WORKER_SCRIPT, *numbers],
                stdin=subprocess.DEVNULL,
                stdout=2,  # bots inside the worker's process may print
                pass_fds=(theirs.fileno(),),
                env={**os.environ, "PYTHONPATH": path},
                process_group=0,  # a person's Ctrl-C is for us; we end the workers
            )
        except OSError as error:
            self.pipe.close()
            raise PlatformFault(f"no worker could be started: {error}") from error
        finally:
            theirs.close()

    def send_task(self, task: Task, items: Sequence[Any]) -> None:
        """Give it these items of a task; where it has the task's setup already, nothing else."""
        given = tuple(items)
        goes_on = not task.ends_setup and task.setup == self._setup
        self._setup, self.is_busy = None if task.ends_setup else task.setup, True
        with contextlib.suppress(OSError):  # it is dead, which will be noticed soon
            self.pipe.send(given if goes_on else dataclasses.replace(task, items=given))

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
        """Clear away what is left of a dead worker; tells how it ended."""
        self.pipe.close()
        self.process.kill()
        code = self.process.wait()
        return signal.Signals(-code).name if code < 0 else f"exit {code}"


def stop_workers(workers: Sequence[WorkerProcess]) -> None:
    """End workers: those at rest see that the pipe is closed, the others get a signal."""
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
