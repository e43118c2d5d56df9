"""Makes calls that may never return, in a thread that can be abandoned.

Time in which a thread was ready to run but had no core does not count, so that no player loses
because the machine is busy.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")


class TimedCaller(Generic[T]):
    """Makes calls one after the other in a daemon thread; after one that hangs, in another.

    A thread that outlives its call is asked to stop, so that it does not use a core for ever.
    """

    def __init__(self) -> None:
        self._thread: _Thread[T] | None = None

    def call(self, job: Callable[[], T], seconds: float) -> T | None:
        """What the job returned; None if it took longer or ended its thread (``sys.exit``).

        ``seconds`` are its own: time without a core does not count.
        """
        if self._thread is None:
            self._thread = _Thread()
        thread, self._thread = self._thread, None
        try:
            answer = thread.call(job, min(seconds, threading.TIMEOUT_MAX))
        except Empty:
            thread.abandon()
            return None
        except BaseException:
            thread.abandon()
            raise
        if answer is None:
            thread.stop()
        else:
            self._thread = thread
        return answer

    def close(self) -> None:
        if self._thread is not None:
            self._thread.stop()
            self._thread = None


def seconds_without_core(file: str = "/proc/thread-self/schedstat") -> float:
    """Seconds that a thread, by default this one, was ready to run but had no core."""
    try:
        with open(file, "rb", buffering=0) as stat:
            return _parse_seconds_without_core(stat.read())
    except OSError:
        return 0.0


def _parse_seconds_without_core(schedstat: bytes) -> float:
    try:
        return int(schedstat.split()[1]) / 1e9
    except (ValueError, IndexError):
        return 0.0


class _Thread(Generic[T]):
    def __init__(self) -> None:
        self.jobs: SimpleQueue[Callable[[], T] | None] = SimpleQueue()
        self._answers: SimpleQueue[T | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._schedstat: int | None = None
        """Kept open: to open it for every call took a fifth of the time of a move."""
        with contextlib.suppress(OSError):  # not every kernel has it
            path = f"/proc/self/task/{self._thread.native_id}/schedstat"
            self._schedstat = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def _run(self) -> None:
        with contextlib.suppress(SystemExit):
            while job := self.jobs.get():
                try:
                    answer = job()
                except BaseException:
                    self._answers.put(None)
                    return
                self._answers.put(answer)

    def call(self, job: Callable[[], T], seconds: float) -> T | None:
        began, waited = time.perf_counter(), self._seconds_without_core()
        self.jobs.put(job)
        left = seconds
        while True:
            try:
                return self._answers.get(timeout=left)
            except Empty:
                waited_since = self._seconds_without_core() - waited
                left = seconds - (time.perf_counter() - began - waited_since)
                if left <= 0:
                    raise

    def _seconds_without_core(self) -> float:
        if self._schedstat is None:
            return 0.0
        try:
            return _parse_seconds_without_core(os.pread(self._schedstat, 128, 0))
        except OSError:  # the thread has ended
            return 0.0

    def stop(self) -> None:
        """Make no more calls."""
        self.jobs.put(None)
        if self._schedstat is not None:
            os.close(self._schedstat)
            self._schedstat = None

    def abandon(self) -> None:
        self.stop()
        ident = self._thread.ident
        if ident is not None and self._thread.is_alive():
            stop = ctypes.pythonapi.PyThreadState_SetAsyncExc
            stop(ctypes.c_ulong(ident), ctypes.py_object(SystemExit))
