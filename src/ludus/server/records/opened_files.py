"""Files that people open on the page: read in another process, kept in memory, never stored.

Each file is read by a separate program with little memory and time, so the server never parses an
upload itself. The result is a record that has been replayed.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import itertools
import re
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from ludus.bots.temp_folders import TempFolder
from ludus.errors import LudusError
from ludus.match.record import Record, unpack
from ludus.server.error_schema import ErrorDetail
from ludus.server.live.film import make_film
from ludus.server.live.film_schemas import BoutSummary, FileError, MatchPlace, OpenedFilms
from ludus.server.records.library import FilmCache
from ludus.server.records.summary import summarize_record

MAX_STORED_RECORD_BYTES = 64 << 20
"""Bytes of packed records that are kept."""
MAX_FILE_BYTES = 64 << 20
MAX_UPLOAD_BYTES = 128 << 20
"""The most bytes of one file, and of all files opened at once."""
MAX_UPLOADED_FILES = 5000
"""The most files opened at once."""
READ_TIMEOUT_S = 90.0
"""Seconds that reading all files may take."""
MAX_READER_FAILURES = 3
"""How many files may make the reading program fail before it is not started again."""
INDEX_FILE, EXCEPTIONS_FILE = "_.txt", "_Exceptions.txt"
"""Files that a round match writes beside its records: their table, and tracebacks."""
INDEX_ROW_PATTERN = re.compile(r"^\S+ (\S+)", re.M)


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """An uploaded file."""

    name: str
    """Includes its folders, if it was uploaded with them."""
    content: bytes

    @property
    def path(self) -> PurePosixPath:
        return PurePosixPath(self.name.replace("\\", "/"))


@dataclass(frozen=True, slots=True)
class OpenedRecord:
    """A record from an opened file."""

    id: str
    packed: bytes
    match: MatchPlace | None
    summary: BoutSummary

    @property
    def record(self) -> Record:
        return unpack(self.packed, self.id)


class FileReadResult(msgspec.Struct):
    """The reading program's result for one file."""

    file: str
    record: str = ""
    error: ErrorDetail | None = None


class FileReaderProcess:
    """Reads files in a separate program, which ``stop`` ends from any thread."""

    def __init__(self, reader: Sequence[str], files: Sequence[OpenedFile]) -> None:
        self._reader, self._files = reader, files
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def stop(self) -> None:
        """End the program at once; ``read_results`` then returns the results so far."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.kill()

    def read_results(self) -> list[FileReadResult]:
        """The result for each file. A file that makes the program fail is refused, and the program
        is restarted with the next; after ``MAX_READER_FAILURES`` the rest is refused."""
        deadline = time.monotonic() + READ_TIMEOUT_S
        with TempFolder("open") as folder:
            paths = [folder / f"{number:05d}" for number in range(len(self._files))]
            for path, file in zip(paths, self._files, strict=True):
                path.write_bytes(file.content)
            results: dict[str, FileReadResult] = {}
            left, ended = paths, 0
            while left and ended < MAX_READER_FAILURES and time.monotonic() < deadline:
                results |= {line.file: line for line in self._run_reader(folder, deadline)}
                for path in left:
                    if path.name in results:
                        path.unlink()
                left = [path for path in left if path.name not in results]
                if left:  # the first of them made it fail
                    left.pop(0).unlink()
                    ended += 1
        return [
            _restore_file_name(
                results.get(path.name) or FileReadResult(path.name, error=READER_STOPPED),
                path,
                file,
            )
            for path, file in zip(paths, self._files, strict=True)
        ]

    def _run_reader(self, folder: Path, deadline: float) -> list[FileReadResult]:
        """What the program printed until it ended or was stopped."""
        with self._lock:
            if self._stopped:
                return []
            process = self._process = subprocess.Popen(
                [*self._reader, str(folder)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        try:
            printed, _ = process.communicate(timeout=max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            printed, _ = process.communicate()
        whole = printed[: printed.rfind(b"\n") + 1]
        return [msgspec.json.decode(line, type=FileReadResult) for line in whole.splitlines()]


class OpenedFiles:
    """The files that people have opened on this server."""

    def __init__(self, reader: Sequence[str]) -> None:
        """``reader`` is a command: it gets a folder and prints a line for each file in it."""
        self._reader = reader
        self._records: OrderedDict[str, OpenedRecord] = OrderedDict()
        self._stored_bytes = 0
        self._films = FilmCache()

    def find(self, id: str) -> OpenedRecord | None:
        return self._records.get(id)

    def load_film(self, id: str) -> bytes | None:
        """The gzipped film of an opened file."""
        opened = self._records.get(id)
        if opened is None:
            return None
        match = opened.match
        return self._films.get_or_create(
            id, lambda: make_film(opened.record, id, "file", match).encode()
        )

    async def open(self, files: Sequence[OpenedFile]) -> OpenedFilms:
        """Summaries of the records in the files, and errors for the other files."""
        wanted = sort_files(
            [file for file in files if file.path.name not in (INDEX_FILE, EXCEPTIONS_FILE)], files
        )
        if not wanted:
            raise LudusError("no file was uploaded", "没有收到文件")
        reading = FileReaderProcess(self._reader, wanted)
        thread = asyncio.ensure_future(asyncio.to_thread(reading.read_results))
        try:
            lines = await asyncio.shield(thread)
        except asyncio.CancelledError:  # the client is gone
            reading.stop()
            await thread
            raise
        found: list[tuple[OpenedFile, Record, bytes]] = []
        errors: list[FileError] = []
        for file, line in zip(wanted, lines, strict=True):
            if line.error is None:
                data = base64.b64decode(line.record)
                found.append((file, unpack(data, file.name), data))
            else:
                errors.append(FileError(file.name, line.error))
        return OpenedFilms(self._store_records(found), errors)

    def _store_records(
        self, found: Sequence[tuple[OpenedFile, Record, bytes]]
    ) -> list[BoutSummary]:
        ids = [f"file-{hashlib.sha256(data).hexdigest()[:16]}" for _, _, data in found]
        series = f"series-{hashlib.sha256(''.join(ids).encode()).hexdigest()[:12]}"
        summaries = []
        for place, (file, record, data) in enumerate(found):
            id = ids[place] if len(ids) == 1 else f"{ids[place]}-{series[-6:]}-{place + 1}"
            match = None
            if len(ids) > 1:
                match = MatchPlace(series, place + 1, of=len(ids))
            summary = summarize_record(record, id, "file", match)
            summary.file = file.name
            summaries.append(summary)
            self._store_record(OpenedRecord(id, data, match, summary))
        for before, after in itertools.pairwise(summaries):
            if before.match is not None and after.match is not None:
                before.match.next, after.match.previous = after.id, before.id
        return summaries

    def _store_record(self, opened: OpenedRecord) -> None:
        if opened.id in self._records:
            self._records.move_to_end(opened.id)
            return
        self._records[opened.id] = opened
        self._stored_bytes += len(opened.packed)
        while self._stored_bytes > MAX_STORED_RECORD_BYTES and len(self._records) > 1:
            self._stored_bytes -= len(self._records.popitem(last=False)[1].packed)


READER_STOPPED = ErrorDetail(
    "bounds_exceeded",
    "reading it took too much time or memory",
    "读取它所需的时间或内存超出限制",
)


def _restore_file_name(line: FileReadResult, path: Path, file: OpenedFile) -> FileReadResult:
    """The result with the file's name as it was uploaded."""
    if line.error is None:
        return line
    en, zh = (words.replace(str(path), file.name) for words in (line.error.en, line.error.zh))
    return FileReadResult(line.file, error=ErrorDetail(line.error.code, en, zh))


def sort_files(files: Sequence[OpenedFile], beside: Sequence[OpenedFile]) -> list[OpenedFile]:
    """Folder by folder, in the order of the folder's ``_.txt``, otherwise by name."""
    places: dict[PurePosixPath, dict[str, int]] = {}
    for index in beside:
        if index.path.name == INDEX_FILE:
            places[index.path.parent] = parse_index(index.content)

    def key(file: OpenedFile) -> tuple[str, int, list[Any]]:
        known = places.get(file.path.parent, {})
        return (
            str(file.path.parent),
            known.get(file.path.stem, len(known)),
            natural_sort_key(file.name),
        )

    return sorted(files, key=key)


def parse_index(index: bytes) -> dict[str, int]:
    """By record: its place in the table of a round match."""
    text = index.decode(errors="replace")
    table = text.split("\n=", 1)[0]
    return {name: place for place, name in enumerate(INDEX_ROW_PATTERN.findall(table))}


def natural_sort_key(name: str) -> list[Any]:
    """Sorts bout 10 after bout 9."""
    return [
        (len(part.lstrip("0")), part.lstrip("0")) if number % 2 else part
        for number, part in enumerate(re.split(r"([0-9]+)", name))
    ]


def reader_command(module: str) -> tuple[str, ...]:
    """The command that runs a module of Ludus as the reading program."""
    return (sys.executable, "-I", "-m", module)
