"""Breaks off the wait for a bot's answer, from another thread."""

from __future__ import annotations

import contextlib
import os
import threading


class Interrupt:
    """While it is set, whoever waits for a bot that was made with it gets BrokenOff.

    It is a descriptor beside the bot's pipes, so that the thread that waits is woken and ends the
    bot itself: nobody closes descriptors or kills processes under another thread's hands.
    """

    def __init__(self) -> None:
        self.descriptor = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._lock = threading.Lock()

    def set(self) -> None:
        """From any thread, and also when everything is over."""
        with self._lock:
            if self.descriptor >= 0:
                os.eventfd_write(self.descriptor, 1)

    def clear(self) -> None:
        with self._lock, contextlib.suppress(BlockingIOError):
            os.eventfd_read(self.descriptor)

    def close(self) -> None:
        """No bot that was made with it may be asked any more."""
        with self._lock:
            if self.descriptor >= 0:
                os.close(self.descriptor)
                self.descriptor = -1

    def __del__(self) -> None:
        self.close()
