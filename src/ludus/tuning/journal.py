"""The journal of a tuning: one JSON line for every iteration that was played to its end.

Lines are only appended, each by one write, so a killed process leaves at most half a line, which
is removed when the tuning goes on. The file is locked while a process writes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from ludus.errors import LudusError
from ludus.home import make_folder

JOURNAL_FILE = "journal.jsonl"
SYNC_INTERVAL_S = 1.0
"""How often what was written is forced to the disk, for machines that lose power."""


class TuningHeader(msgspec.Struct, frozen=True, kw_only=True):
    """The first line: what is tuned, and how."""

    lag: int
    """How many iterations may be under way at once; it is part of the path of the values."""
    facts: dict[str, Any]


class IterationResult(msgspec.Struct, frozen=True):
    """The points of the two versions of an iteration, mirrored pair by mirrored pair."""

    iteration: int
    plus: tuple[float, ...]
    minus: tuple[float, ...]
    faults: int = 0
    """Bouts in which one of the bots failed."""

    @property
    def lead(self) -> float:
        """The points that ``plus`` scored more than ``minus``."""
        return sum(self.plus) - sum(self.minus)


class TuningJournal:
    """The journal in a folder, locked until it is closed."""

    def __init__(self, folder: Path, header: TuningHeader) -> None:
        """Open the journal, or begin one with this header; ``header`` is the one in the file."""
        self.path = folder / JOURNAL_FILE
        make_folder(folder)
        self._file: BinaryIO = self.path.open("a+b", buffering=0)
        self._synced_at = 0.0
        try:
            self._lock()
            self.header, self.results = self._read(header)
        except BaseException:
            self._file.close()
            raise

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LudusError(
                "this bot is being tuned by another process; wait for it, or use another --seed",
                "另一个进程正在调整这个 AI；请等它结束，或换一个 --seed",
            ) from None

    def _read(self, header: TuningHeader) -> tuple[TuningHeader, list[IterationResult]]:
        self._file.seek(0)
        first, *rest = _complete_lines(self._file) or [b""]
        self._file.truncate(len(first) + sum(map(len, rest)))
        if not first:
            self._write(header)
            return header, []
        try:
            found = msgspec.json.decode(first, type=TuningHeader)
            results = [msgspec.json.decode(line, type=IterationResult) for line in rest]
        except msgspec.MsgspecError as error:
            raise LudusError(
                f"the journal {self.path} is damaged ({error}); begin again with --fresh",
                f"日志 {self.path} 已损坏（{error}）；请用 --fresh 重新开始",
            ) from None
        return found, results

    def append(self, result: IterationResult) -> None:
        """Add a result; it survives the death of this process from now on."""
        self._write(result)

    def _write(self, line: msgspec.Struct) -> None:
        self._file.write(msgspec.json.encode(line) + b"\n")
        if time.monotonic() - self._synced_at >= SYNC_INTERVAL_S:
            os.fsync(self._file)
            self._synced_at = time.monotonic()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.fsync(self._file)
        self._file.close()


def _complete_lines(file: BinaryIO) -> list[bytes]:
    def lines() -> Iterator[bytes]:
        for line in file:
            if not line.endswith(b"\n"):
                return
            yield line

    return list(lines())
