"""The inside of a worker process: it works off what comes down its pipe until the pipe is closed.

Down come a ``Task``, which begins a new setup, or a tuple of items for the setup that is there
already. Up go messages: a result for each item, events in between, and how it ended if that is
not plain from the results.
"""

from __future__ import annotations

import contextlib
import enum
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any

from ludus.errors import LudusError, PlatformFault
from ludus.workers.events import EventBatcher, deliver_events
from ludus.workers.parent_death import die_with_parent
from ludus.workers.task import Task


class MessageKind(enum.IntEnum):
    """What a worker says."""

    RESULT = 0
    """Of the next item."""
    EVENTS = 1
    """A list of what happened on the way to the next result."""
    FINISHED = 2
    """The setup has been ended: as the task says, or because it wanted no more items."""
    REFUSED = 3
    """A ``LudusError`` about what was asked: the task is over, the worker goes on."""
    FAILED = 4
    """Any other exception: the task is over and the worker ends."""


class WorkerStopped(KeyboardInterrupt):
    """The results are not wanted any more. No bot inside the process can catch it by mistake."""


def main() -> None:
    """Started by ``WorkerProcess`` with the numbers of the pipe, the parent and the core."""
    descriptor, parent, core = map(int, sys.argv[1:])
    die_with_parent()
    if os.getppid() != parent:  # it has died before we asked the kernel
        os._exit(1)
    signal.signal(signal.SIGTERM, _raise_stopped)
    os.sched_setaffinity(0, {core})
    with contextlib.suppress(OSError, WorkerStopped), Connection(descriptor) as pipe:
        _serve(pipe)


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

    def send_events(self, events: Sequence[Any]) -> None:
        self.send(MessageKind.EVENTS, events)


def _serve(pipe: Connection) -> None:
    sender = MessageSender(pipe)
    with deliver_events(sender.send_events) as batcher:
        _work_off_tasks(TaskFeed(pipe), sender, batcher)


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
            # A setup that fails only when the next task has come and ended it: the pool would
            # take that task for the one that failed, so we cannot go on either.
            refused = isinstance(error, LudusError) and not feed.is_ahead
            kind = MessageKind.REFUSED if refused else MessageKind.FAILED
            batcher.flush()
            sender.send(kind, _explain_error(error))
            if not refused:
                return


class TaskFeed:
    """Takes tasks out of the pipe, and joins those that go on with the same setup."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._ahead: Task | None = None
        self._closed = False

    @property
    def is_ahead(self) -> bool:
        """Whether a setup was ended because something else has come: a task, or the pipe's end."""
        return self._ahead is not None or self._closed

    def next_task(self) -> Task | None:
        """The next that begins a setup; None when the pipe is closed."""
        task, self._ahead = self._ahead, None
        while task is None and not self._closed:
            said = self._receive()
            task = said if isinstance(said, Task) else None
        return task

    def items(self, task: Task) -> Iterator[Any]:
        """The items of a task, and of those that go on with its setup."""
        yield from task.items
        while not task.ends_setup:
            said = self._receive()
            if not isinstance(said, tuple):
                self._ahead = said
                return
            yield from said

    def _receive(self) -> Any:
        try:
            return self._pipe.recv()
        except (EOFError, ConnectionError):  # also when it closes before we have read
            self._closed = True
            return None


def _explain_error(error: BaseException) -> Exception:
    """As it shall be raised where the results are waited for."""
    if isinstance(error, (LudusError, PlatformFault)):
        return error
    return LudusError(
        f"a worker failed: {error!r}",
        f"工作进程出错：{error!r}",
        "".join(traceback.format_exception(error)),
    )
