"""Aborts the wait for a bot's answer from another thread."""

from __future__ import annotations

import contextlib
import os
import threading


class Interrupt:
    """While it is set, calls of the bots that were created with it raise ``BoutAborted``.

    It is a descriptor that is polled together with the bot's pipes. So the waiting thread wakes up
    and stops the bot itself, and no thread closes descriptors or kills processes that another
    thread is using.
    """

    def __init__(self) -> None:
        self.descriptor = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._lock = threading.Lock()

    def set(self) -> None:
        """May be called from any thread, also after ``close``."""
        with self._lock:
            if self.descriptor >= 0:
                os.eventfd_write(self.descriptor, 1)

    def clear(self) -> None:
        with self._lock, contextlib.suppress(BlockingIOError):
            os.eventfd_read(self.descriptor)

    def close(self) -> None:
        """Close the descriptor; the bots created with it must not be called afterwards."""
        with self._lock:
            if self.descriptor >= 0:
                os.close(self.descriptor)
                self.descriptor = -1

    def __del__(self) -> None:
        self.close()
