"""Events on the way from a task to whoever waits for it, sent in small batches."""

from __future__ import annotations

import contextlib
import contextvars
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

BATCH_INTERVAL_S = 0.01
"""Seconds that events may wait for each other."""

SendEvents = Callable[[Sequence[Any]], None]


class EventBatcher:
    """Sends events at once when they are rare, and together when they are many.

    Quick bots make thousands of moves a second. A message for each would wake the process that
    waits as often, and cost it more than the bouts cost the workers. So an event that comes within
    ``BATCH_INTERVAL_S`` of the last message waits for the end of that interval, and takes along all
    that have come by then. A thread sends it: the bots may think for long before the next event
    would. That thread starts with the first event that has to wait; it uses a hundredth of a
    millisecond for each interval in which something waits, and nothing otherwise.
    """

    def __init__(self, send: SendEvents) -> None:
        self._send = send
        self._lock = threading.Lock()
        self._waiting: list[Any] = []
        self._sent_at = 0.0
        self._something_waits = threading.Event()
        self._thread: threading.Thread | None = None
        self._closed = False

    def add(self, event: Any) -> None:
        with self._lock:
            self._waiting.append(event)
            if time.monotonic() - self._sent_at >= BATCH_INTERVAL_S:
                self._send_waiting()
            elif not self._something_waits.is_set():
                self._wake_thread()

    def flush(self) -> None:
        """Send what waits, now."""
        with self._lock:
            self._send_waiting()

    def close(self) -> None:
        """Send what waits, and end the thread."""
        with self._lock:
            self._send_waiting()
            self._closed = True
        self._something_waits.set()
        if self._thread is not None:
            self._thread.join()

    def _send_waiting(self) -> None:
        if self._waiting:
            events, self._waiting = self._waiting, []
            self._send(events)
            self._sent_at = time.monotonic()

    def _wake_thread(self) -> None:
        self._something_waits.set()
        if self._thread is None:
            run = contextvars.copy_context().run  # ``send`` may look at what the task's thread is
            self._thread = threading.Thread(
                target=run, args=(self._run,), name="events", daemon=True
            )
            self._thread.start()

    def _run(self) -> None:
        while self._something_waits.wait():
            time.sleep(BATCH_INTERVAL_S)
            with self._lock:
                self._something_waits.clear()
                if self._closed:  # perhaps while this thread slept: then nothing wakes it again
                    return
                try:
                    self._send_waiting()
                except OSError:  # nobody listens any more; the task will notice
                    return


_batcher: contextvars.ContextVar[EventBatcher | None] = contextvars.ContextVar(
    "_batcher", default=None
)


def emit_event(event: Any) -> None:
    """Tell the pool of something that happens within a task; it comes with the task's reports.

    Outside a pool that passes events on nobody listens, and nothing happens.
    """
    if (batcher := _batcher.get()) is not None:
        batcher.add(event)


@contextlib.contextmanager
def deliver_events(send: SendEvents) -> Iterator[EventBatcher]:
    """While this lasts, ``send`` gets what this thread emits, in the order of the events."""
    batcher = EventBatcher(send)
    token = _batcher.set(batcher)
    try:
        yield batcher
    finally:
        _batcher.reset(token)
        with contextlib.suppress(OSError):
            batcher.close()
