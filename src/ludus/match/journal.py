"""A bout under way, written move by move: whoever comes late reads it from the start.

One JSON object per line: ``started``, then ``moved`` for every step, then ``ended``. A line that
was cut off by a crash is ignored.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import weakref
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ludus.errors import LudusError
from ludus.games.base import Position
from ludus.home import make_folder
from ludus.match.referee import BoutEvent

decode_event = msgspec.json.Decoder(BoutEvent).decode
"""An event from a line."""


class Journal:
    """A ``watch`` that appends every event to a file, which is locked as long as this lives."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # Before the file is there: an interrupt may come before anybody has this to close it.
        self._removal = weakref.finalize(self, _remove, path, os.getpid())
        try:
            make_folder(path.parent)
            self._file = path.open("wb", buffering=0)
            with contextlib.suppress(OSError):  # where there are no locks, nobody can ask
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise LudusError(
                f"cannot write the journal {path}: {error.strerror}",
                f"无法写入实况日志 {path}：{error.strerror}",
            ) from None

    def __call__(self, event: BoutEvent, position: Position) -> None:
        self._file.write(msgspec.json.encode(event) + b"\n")

    def close(self, *, keep: bool = False) -> None:
        """The bout is over and its record saved: the journal is not needed any more."""
        self._file.close()
        if keep:
            self._removal.detach()
        else:
            self._removal()


def _remove(path: Path, owner: int) -> None:
    """A fork of the process that writes a journal leaves it alone."""
    if os.getpid() == owner:
        with contextlib.suppress(OSError):
            path.unlink()


def read_events(path: Path) -> Iterator[BoutEvent]:
    """The events written so far."""
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                return
            yield decode_event(line)
