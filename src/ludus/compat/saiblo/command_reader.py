"""Reads commands for the judger, lines or frames, while its loop goes on."""

from __future__ import annotations

import os

from ludus.compat.saiblo.loop import Loop

POLL_INTERVAL_S = 60.0


class CommandReader:
    """Reads commands from a file descriptor."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._buffer = b""
        self._ended = False

    def read_line(self, loop: Loop) -> str | None:
        """The next line without its end; None when there are no more."""
        while b"\n" not in self._buffer and not self._ended:
            self._wait_for_input(loop)
        if not self._buffer:
            return None
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode(errors="replace")

    def read_frame(self, loop: Loop) -> bytes | None:
        """The body of the next 4+n frame; None when there are no more."""
        head = self._read_exactly(loop, 4)
        return None if head is None else self._read_exactly(loop, int.from_bytes(head, "big"))

    def _read_exactly(self, loop: Loop, size: int) -> bytes | None:
        while len(self._buffer) < size:
            if self._ended:
                return None
            self._wait_for_input(loop)
        taken, self._buffer = self._buffer[:size], self._buffer[size:]
        return taken

    def _wait_for_input(self, loop: Loop) -> None:
        try:
            loop.watch(self._fd, self._read)
        except PermissionError:  # epoll refuses plain files, which are always ready
            self._read(0)
            loop.run_once(0)
            return
        try:
            loop.run_once(POLL_INTERVAL_S)
        finally:
            loop.unwatch(self._fd)

    def _read(self, events: int) -> None:
        data = os.read(self._fd, 65536)
        self._buffer += data
        self._ended |= not data
