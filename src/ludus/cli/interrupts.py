"""What a command that is stopped by Ctrl-C says of how to go on."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType

from ludus.lang import tr


@contextlib.contextmanager
def hint_on_interrupt(make_hint: Callable[[], str]) -> Iterator[None]:
    """If the block is interrupted, let the one line of ``ludus.cli.main`` end with this hint."""
    try:
        yield
    except KeyboardInterrupt as interrupt:
        interrupt.add_note(make_hint())
        raise


def same_command_hint() -> str:
    """For commands that continue what they began before."""
    return tr("The same command goes on from here.", "再次运行同一命令即可从这里继续。")


STOPPING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class LastingInterrupt:
    """Signals that end this process do so even if the exception of the first is lost: libraries
    swallow what is raised in their callbacks, such as JAX in that of the garbage collector.

    Whoever works in the block calls ``check`` now and then, which raises the exception again. A
    second Ctrl-C ends the process at once, also while its main thread is inside a compiler, after
    one line that ends with the hint. Must be entered in the main thread.
    """

    def __init__(self, make_hint: Callable[[], str]) -> None:
        self._make_hint = make_hint
        self._number: int | None = None
        self._previous: dict[int, Callable[[int, FrameType | None], object]] = {}

    def __enter__(self) -> LastingInterrupt:
        for number in STOPPING_SIGNALS:
            if callable(handler := signal.getsignal(number)):
                self._previous[number] = handler
                signal.signal(number, self._handle)
        self._read_fd, self._write_fd = os.pipe()
        os.set_blocking(self._write_fd, False)
        self._outer_fd = signal.set_wakeup_fd(self._write_fd, warn_on_full_buffer=False)
        self._watcher = threading.Thread(target=self._end_at_second, daemon=True)
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(self._outer_fd)
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        os.close(self._write_fd)
        self._watcher.join()
        os.close(self._read_fd)

    def check(self) -> None:
        """Raise what the last signal was to raise, if there was one."""
        if self._number is not None:
            self._previous[self._number](self._number, None)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._number = number
        self._previous[number](number, frame)

    def _end_at_second(self) -> None:
        """Count in a thread, because handlers run in the main thread only when that comes to."""
        count = 0
        while signals := os.read(self._read_fd, 64):
            count += signals.count(signal.SIGINT)
            if count > 1:
                show_cursor = "\x1b[?25h" if sys.stderr.isatty() else ""
                line = tr("interrupted. ", "已中断。") + self._make_hint()
                os.write(2, f"{show_cursor}\n{line}\n".encode())
                os._exit(130)
