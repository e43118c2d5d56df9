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
import threading
import traceback
from collections.abc import Iterator
from functools import partial
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any

from ludus import logs
from ludus.errors import LudusError, PlatformFault
from ludus.workers.events import EventBatcher, deliver_events
from ludus.workers.parent_death import die_with_parent
from ludus.workers.task import Task


class MessageKind(enum.IntEnum):
    """The kinds of messages from a worker."""

    RESULT = 0
    """Of the next item."""
    EVENTS = 1
    """A list of what happened on the way to the next result."""
    FINISHED = 2
    """The setup has ended: as the task requires, or because it needs no more items."""
    REFUSED = 3
    """A ``LudusError`` about the task: the task is over, the worker continues."""
    FAILED = 4
    """Any other exception: the task is over and the worker ends."""


class WorkerStopped(KeyboardInterrupt):
    """The task was cancelled. A KeyboardInterrupt, so that bots in the process do not catch it."""


def main() -> None:
    """Started by ``WorkerProcess`` with the numbers of the pipe, the parent and the core."""
    descriptor, parent, core = map(int, sys.argv[1:])
    die_with_parent()
    logs.configure("worker")
    if os.getppid() != parent:  # it has died before we asked the kernel
        os._exit(1)
    signal.signal(signal.SIGTERM, _raise_stopped)
    os.sched_setaffinity(0, {core})
    with contextlib.suppress(OSError, WorkerStopped), Connection(descriptor) as pipe:
        sender = MessageSender(pipe)
        with deliver_events(partial(sender.send, MessageKind.EVENTS)) as batcher:
            _work_off_tasks(TaskFeed(pipe), sender, batcher)


def _raise_stopped(number: int, frame: FrameType | None) -> None:
    raise WorkerStopped


class MessageSender:
    """Sends messages up the pipe, in the order in which things happened.

    Events may be sent by the thread of their ``EventBatcher``, so sending takes turns.
    """

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._lock = threading.Lock()

    def send(self, kind: MessageKind, content: Any) -> None:
        with self._lock:
            self._pipe.send((kind, content))


def _work_off_tasks(feed: TaskFeed, sender: MessageSender, batcher: EventBatcher) -> None:
    while (task := feed.next_task()) is not None:
        try:
            with contextlib.closing(task.setup.run(feed.items(task))) as results:
                for result in results:
                    batcher.flush()
                    sender.send(MessageKind.RESULT, result)
            if not feed.is_ahead:
                batcher.flush()
                sender.send(MessageKind.FINISHED, None)
        except WorkerStopped:
            return
        except BaseException as error:
            # A setup that fails while it is ended by the next task: the pool would take that next
            # task for the one that failed, so this worker cannot continue.
            refused = isinstance(error, LudusError) and not feed.is_ahead
            kind = MessageKind.REFUSED if refused else MessageKind.FAILED
            batcher.flush()
            sender.send(kind, _explain_error(error))
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
