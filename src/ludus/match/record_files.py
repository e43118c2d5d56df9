"""The folders of records (``$LUDUS_HOME/records``) and of journals of running bouts (``live``)."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import stat
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.errors import LudusError
from ludus.home import ludus_home, require_writable_home
from ludus.os_errors import describe_os_error

if TYPE_CHECKING:
    from ludus.games.base import Position
    from ludus.match.journal import Journal
    from ludus.match.record import Record
    from ludus.match.referee import BoutEvent
    from ludus.match.series import PlannedBout

MAX_BOT_NAME_BYTES = 40
"""The longest part of a file name that a bot's name may take."""

BOUT_NAME = re.compile(r"(\d{8}-\d{6}-.+)-(\d{2,})(\.\d+)?", re.ASCII)
"""What a series calls its bouts: ``for_bout`` of BoutFileNames, and which of equal names it is."""

MAX_REMEMBERED_ELSEWHERE = 50
"""The most records in other folders among which the newest is looked for."""


def records_folder() -> Path:
    return ludus_home() / "records"


def live_folder() -> Path:
    return ludus_home() / "live"


def make_stem(game: str, bots: Sequence[str], now: float | None = None) -> str:
    """The common part of the file names of a match: ``20250131-235959-duel2048-greedy-random``."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(now))
    return "-".join([stamp, game, *map(to_file_name, bots)])


def to_file_name(name: str) -> str:
    safe = "".join(c if c.isalnum() or c in "._+=#@" else "_" for c in name)
    return safe.encode()[:MAX_BOT_NAME_BYTES].decode(errors="ignore") or "_"


@dataclass(frozen=True, slots=True)
class BoutFileNames:
    """The file name of each bout of a series."""

    stem: str
    bouts: int

    def for_bout(self, number: int) -> str:
        digits = max(2, len(str(self.bouts)))
        return f"{self.stem}-{number + 1:0{digits}d}"


class RecordStore:
    """Saves the records of one series in one folder."""

    def __init__(self, folder: Path, names: BoutFileNames) -> None:
        self.folder = folder
        self.names = names
        self.failure: LudusError | None = None
        """Why saving failed; then no further record is saved."""

    def save(self, record: Record, number: int) -> Path | None:
        """Save a record; returns its file, or None if it could not be written."""
        from ludus.match.record import SUFFIX, pack

        if self.failure is not None:
            return None
        try:
            path = save_under_new_name(
                self.folder, self.names.for_bout(number), SUFFIX, pack(record)
            )
        except LudusError as error:
            self.failure = self._explain(error)
            return None
        if self.folder.absolute() != records_folder().absolute():
            _remember_saved_elsewhere(path)
        return path

    def _explain(self, error: LudusError) -> LudusError:
        """Say what to do where it is the user's own folder that cannot be written."""
        if self.folder == records_folder():
            try:
                require_writable_home()
            except LudusError as reason:
                return reason
        return error


def save_under_new_name(folder: Path, name: str, suffix: str, data: bytes) -> Path:
    """Write a file under an unused name, also when other processes write at the same moment."""
    from ludus.match.record import write_atomically

    hidden = folder / f".{name}.{os.getpid()}"
    write_atomically(hidden, data)
    try:
        for again in itertools.count(1):
            path = folder / (f"{name}{suffix}" if again == 1 else f"{name}.{again}{suffix}")
            with contextlib.suppress(FileExistsError):
                _link_new_name(hidden, path)
                return path
    except OSError as error:
        why = describe_os_error(error)
        raise LudusError(
            f"cannot save {folder / name}{suffix}: {why.en}",
            f"无法保存 {folder / name}{suffix}：{why.zh}",
        ) from None
    finally:
        hidden.unlink(missing_ok=True)
    raise AssertionError("unreachable")


def _link_new_name(hidden: Path, path: Path) -> None:
    """Give a complete file its name, without replacing an existing file."""
    try:
        os.link(hidden, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
        os.replace(hidden, path)


@dataclass(frozen=True, slots=True)
class JournalFactory:
    """Opens the journal of each bout of a series, in the process that plays it."""

    names: BoutFileNames

    def __call__(self, pairing: PlannedBout) -> LiveJournal:
        return LiveJournal(self.names.for_bout(pairing.number))


class LiveJournal:
    """A journal that never disturbs its bout: errors are ignored, and the bout goes on."""

    def __init__(self, name: str) -> None:
        from ludus.match.journal import Journal

        self.id = f"{name}.{os.getpid()}"
        """The id under which the page shows the bout."""
        self._journal: Journal | None = None
        with contextlib.suppress(LudusError):
            self._journal = Journal(live_folder() / f"{self.id}.jsonl")

    def __enter__(self) -> LiveJournal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(self, event: BoutEvent, position: Position) -> None:
        if self._journal is not None:
            try:
                self._journal(event, position)
            except OSError:
                self.close()

    def close(self) -> None:
        """Close and remove the journal: the bout has ended or was aborted."""
        if self._journal is not None:
            with contextlib.suppress(OSError):
                self._journal.close()
            self._journal = None


def find_newest_record() -> Path:
    """The record that was saved last, in whatever folder; LudusError if there is none."""
    files = list_newest_records()
    if not files:
        raise LudusError(
            f"no record has been saved yet in {records_folder()}; play a bout first, or"
            " name a file",
            f"{records_folder()} 中还没有录像；请先对局，或给出文件",
        )
    return files[0]


def list_newest_records() -> list[Path]:
    """The records in ``$LUDUS_HOME/records`` and those that were saved last in other folders
    (``--save``), the newest first; those of one match by the numbers of its bouts, because
    bouts that are played at the same time end in any order."""
    from ludus.match.record import SUFFIX

    files = [*records_folder().glob(f"*{SUFFIX}"), *_read_saved_elsewhere()]
    changed = [(at, path) for path in files if (at := _read_time(path)) is not None]
    latest: dict[tuple[Path, str], int] = {}
    for changed_at, path in changed:
        match = path.parent, _split_name(path)[0]
        latest[match] = max(changed_at, latest.get(match, 0))

    def age(found: tuple[int, Path]) -> tuple[int, int, int, str]:
        stem, number = _split_name(found[1])
        return latest[found[1].parent, stem], number, found[0], found[1].name

    return [path for _, path in sorted(changed, key=age, reverse=True)]


def _split_name(path: Path) -> tuple[str, int]:
    """The match that a file name tells, and the bout's number; of other names all of it, and 0."""
    found = BOUT_NAME.fullmatch(path.stem)
    return (f"{found[1]}{found[3] or ''}", int(found[2])) if found else (path.stem, 0)


def _read_time(path: Path) -> int | None:
    """When a file was changed; None for what is no file, or in a folder out of reach."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns if stat.S_ISREG(found.st_mode) else None


def _read_saved_elsewhere() -> list[Path]:
    try:
        lines = _elsewhere_file().read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return []
    return [Path(line) for line in lines.split("\n") if line]


def _remember_saved_elsewhere(path: Path) -> None:
    """Note a record outside of ``$LUDUS_HOME/records``, so that it can be the newest."""
    from ludus.match.record import write_atomically

    known = [each for each in _read_saved_elsewhere() if each != path]
    text = "\n".join(map(str, [*known[-MAX_REMEMBERED_ELSEWHERE + 1 :], path.absolute()]))
    with contextlib.suppress(LudusError, OSError):  # only a convenience
        write_atomically(_elsewhere_file(), text.encode(errors="surrogateescape"), durable=False)


def _elsewhere_file() -> Path:
    return ludus_home() / "saved-elsewhere.txt"
