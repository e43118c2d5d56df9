"""The journal of a running bout: a file to which every event is appended.

One JSON object per line: ``started``, then ``moved`` for every step, then ``ended``. It lets other
processes follow a bout, from its first move, without the playing process knowing of them, and it is
what remains of a bout whose process was killed. Three details make this work:

- Each event is one unbuffered write. A reader may still see half a line, or a crash may leave one,
  so a line without its newline is ignored.
- The file is locked while the bout is played. A journal that can be locked by others belongs to a
  process that has died, and can be cleaned up.
- The file is removed when the bout's record is saved, or when the writing object is collected. A
  forked child inherits that object, so the removal checks the process id.
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
from ludus.os_errors import describe_os_error

decode_event = msgspec.json.Decoder(BoutEvent).decode
"""Decodes one line."""


class Journal:
    """A ``BoutObserver`` that appends every event to a file, which is locked until it is closed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # Registered before the file exists: an interrupt may come before the caller can close it.
        self._removal = weakref.finalize(self, _remove, path, os.getpid())
        try:
            make_folder(path.parent)
            self._file = path.open("wb", buffering=0)
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            why = describe_os_error(error)
            raise LudusError(
                f"cannot write the journal {path}: {why.en}",
                f"无法写入实况日志 {path}：{why.zh}",
            ) from None

    def __call__(self, event: BoutEvent, position: Position) -> None:
        self._file.write(msgspec.json.encode(event) + b"\n")

    def close(self, *, keep: bool = False) -> None:
        """Close the file and, unless ``keep``, remove it: the bout's record is saved."""
        self._file.close()
        if keep:
            self._removal.detach()
        else:
            self._removal()


def _remove(path: Path, owner: int) -> None:
    """Remove a journal, but not from a fork of the process that writes it."""
    if os.getpid() == owner:
        with contextlib.suppress(OSError):
            path.unlink()


def read_events(path: Path) -> Iterator[BoutEvent]:
    """The events that have been written completely so far."""
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                return
            yield decode_event(line)
