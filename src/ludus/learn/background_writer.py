"""Files are written in a thread while the next wave is played."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor


class BackgroundWriter:
    """Does one piece of work at a time in a thread; the next one waits for it.

    What goes wrong in the thread is raised by the next call.
    """

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(1, "writer")
        self._pending: Future[None] | None = None

    def submit(self, work: Callable[[], None]) -> None:
        """Begin with the work once all earlier work is done."""
        self.wait()
        self._pending = self._threads.submit(work)

    def wait(self) -> None:
        """Return when everything is written."""
        pending, self._pending = self._pending, None
        if pending is not None:
            pending.result()
