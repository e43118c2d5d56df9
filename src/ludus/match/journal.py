"""A bout under way, written move by move: whoever comes late reads it from the start.

One JSON object per line: ``started``, then ``moved`` for every step, then ``ended``. A line that
was cut off by a crash is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from ludus.errors import LudusError
from ludus.games.base import Position
from ludus.match.referee import Event

_decoder = msgspec.json.Decoder(Event)


class Journal:
    """A ``watch`` that appends every event to a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("wb", buffering=0)
        except OSError as error:
            raise LudusError(
                f"cannot write the journal {path}: {error.strerror}",
                f"无法写入实况日志 {path}：{error.strerror}",
            ) from None

    def __call__(self, event: Event, position: Position) -> None:
        self._file.write(msgspec.json.encode(event) + b"\n")

    def close(self, *, keep: bool = False) -> None:
        """The bout is over and its record saved: the journal is not needed any more."""
        self._file.close()
        if not keep:
            self.path.unlink(missing_ok=True)


def read(path: Path) -> Iterator[Event]:
    """The events written so far."""
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                return
            yield _decoder.decode(line)
