"""The code of a worker process: runs the tasks that arrive on its pipe until the pipe is closed.

The pool sends a ``Task``, which starts a new setup, or a tuple of items for the current setup. The
worker sends messages: a result for each item, events in between, and how the task ended where the
results do not show it.
"""

from __future__ import annotations

import contextlib
import enum
import os
import signal
import sys
import traceback
from collections.abc import Iterator
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any

from ludus import logs
from ludus.errors import LudusError, PlatformFault
from ludus.workers.parent_death import die_with_parent
from ludus.workers.task import Task


class MessageKind(enum.IntEnum):
    """The kinds of messages from a worker."""

    RESULT = 0
    """The result of the next item."""
    EVENT = 1
    """An event before the next result."""
    FINISHED = 2
    """The setup has ended: as the task requires, or because it needs no more items."""
    REFUSED = 3
    """A ``LudusError`` about the task: the task is over, the worker continues."""
    FAILED = 4
    """Any other exception: the task is over and the worker ends."""


class WorkerStopped(KeyboardInterrupt):
    """The task was cancelled. A KeyboardInterrupt, so that bots in the process do not catch it."""


_pipe: Connection | None = None
"""The pipe to the pool; None outside a worker process."""


def emit_event(event: Any) -> None:
    """Send an event of the current task to the pool, which includes it in the task's reports.

    Does nothing outside a local worker.
    """
    if _pipe is not None:
        _pipe.send((MessageKind.EVENT, event))


def main() -> None:
    """Entry point; the arguments are the pipe's descriptor, the parent's id and the core."""
    global _pipe
    descriptor, parent, core = map(int, sys.argv[1:])
    die_with_parent()
    logs.configure("worker")
    if os.getppid() != parent:  # it has died before we asked the kernel
        os._exit(1)
    signal.signal(signal.SIGTERM, _raise_stopped)
    os.sched_setaffinity(0, {core})
    with contextlib.suppress(OSError, WorkerStopped), Connection(descriptor) as _pipe:
        _serve(_pipe)


def _raise_stopped(number: int, frame: FrameType | None) -> None:
    raise WorkerStopped


def _serve(pipe: Connection) -> None:
    feed = TaskFeed(pipe)
    while (task := feed.next_task()) is not None:
        try:
            with contextlib.closing(task.setup.run(feed.items(task))) as results:
                for result in results:
                    pipe.send((MessageKind.RESULT, result))
            if not feed.is_ahead:
                pipe.send((MessageKind.FINISHED, None))
        except WorkerStopped:
            return
        except BaseException as error:
            # A setup that fails while it is ended by the next task: the pool would take that next
            # task for the one that failed, so this worker cannot continue.
            refused = isinstance(error, LudusError) and not feed.is_ahead
            kind = MessageKind.REFUSED if refused else MessageKind.FAILED
            pipe.send((kind, _explain_error(error)))
            if not refused:
                return


class TaskFeed:
    """Reads tasks from the pipe, and joins those that continue the same setup."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._ahead: Task | None = None
        self._closed = False

    @property
    def is_ahead(self) -> bool:
        """Whether the setup was ended by the arrival of another task or the end of the pipe."""
        return self._ahead is not None or self._closed

    def next_task(self) -> Task | None:
        """The next task that starts a setup; None when the pipe is closed."""
        task, self._ahead = self._ahead, None
        while task is None and not self._closed:
            message = self._receive()
            task = message if isinstance(message, Task) else None
        return task

    def items(self, task: Task) -> Iterator[Any]:
        """The items of a task, and of the tasks that continue its setup."""
        yield from task.items
        while not task.ends_setup:
            message = self._receive()
            if not isinstance(message, tuple):
                self._ahead = message
                return
            yield from message

    def _receive(self) -> Any:
        try:
            return self._pipe.recv()
        except (EOFError, ConnectionError):  # also if it is closed while reading
            self._closed = True
            return None


def _explain_error(error: BaseException) -> Exception:
    """The exception to raise in the process that waits for the results."""
    if isinstance(error, (LudusError, PlatformFault)):
        return error
    return LudusError(
        f"a worker failed: {error!r}",
        f"工作进程出错：{error!r}",
        "".join(traceback.format_exception(error)),
    )
