"""Files that a program leaves in its jail: measured, and sent to the referee.

The keeper walks the folders with the program's rights, after everything in the jail has ended, and
sends plain files only, through the status socket. The referee's side trusts no name and no number:
it checks each again. Nothing here recurses, and every walk is bounded.
"""

from __future__ import annotations

import contextlib
import os
import socket
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ludus.sandbox.messages import MSG_FILE, MSG_FILE_DATA
from ludus.sandbox.remove_tree import OPEN_FOLDER_FLAGS

MAX_DEPTH = 64
MAX_PATH_BYTES = 1024
"""Bytes of a path in an output."""
CHUNK_BYTES = 1 << 16
EXECUTABLE_MAGIC = (b"\x7fELF", b"#!")
"""The first bytes of programs; at level plain a linker cannot set the mode of its output."""


class OutputBoundExceeded(Exception):
    """A folder holds more than it may. ``what`` as in ``BrokenBound``."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class TreeEntry(NamedTuple):
    """A file, folder or anything else in a folder."""

    folder: int
    """The open folder that it is in, until the next entry is asked for."""
    name: bytes
    path: bytes
    """The path from the folder at the top."""
    stat: os.stat_result


def walk_tree(top: int, most: int, *, force: bool = False) -> Iterator[TreeEntry]:
    """All that is below an open folder; OutputBoundExceeded beyond ``most`` entries.

    ``force``: open also folders whose mode forbids it, by changing the mode.
    """
    count = 0
    way = [(b"", os.open(".", OPEN_FOLDER_FLAGS, dir_fd=top), _list_names(top, most))]
    try:
        while way:
            prefix, folder, names = way[-1]
            if not names:
                way.pop()
                os.close(folder)
                continue
            name = names.pop()
            count += 1
            if count > most:
                raise OutputBoundExceeded("files")
            try:
                facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
            except FileNotFoundError:
                continue
            yield TreeEntry(folder, name, prefix + name, facts)
            if stat.S_ISDIR(facts.st_mode):
                if len(way) > MAX_DEPTH:
                    raise OutputBoundExceeded("depth")
                if (below := _open_folder(name, folder, force)) >= 0:
                    way.append((prefix + name + b"/", below, _list_names(below, most - count)))
    finally:
        for _, folder, _ in way:
            os.close(folder)


def _open_folder(name: bytes, above: int, force: bool) -> int:
    """Open a folder; -1 if it has gone meanwhile."""
    try:
        if force:
            with contextlib.suppress(PermissionError):
                return os.open(name, OPEN_FOLDER_FLAGS, dir_fd=above)
            os.chmod(name, 0o700, dir_fd=above)
        return os.open(name, OPEN_FOLDER_FLAGS, dir_fd=above)
    except (FileNotFoundError, NotADirectoryError):
        return -1


def _list_names(folder: int, most: int) -> list[bytes]:
    """The names in a folder; at most one more than ``most``, which is enough to see the excess."""
    with os.scandir(folder) as entries:
        names = []
        for entry in entries:
            names.append(os.fsencode(entry.name))
            if len(names) > most:
                break
        return names


def measure_folder(folder: str, max_bytes: int, max_files: int) -> int:
    """Bytes on disk of all that is in a folder; OutputBoundExceeded if more, or if hidden."""
    size = 0
    try:
        top = os.open(folder, OPEN_FOLDER_FLAGS)
    except FileNotFoundError:
        return 0
    try:
        for entry in walk_tree(top, max_files, force=True):
            size += 512 * entry.stat.st_blocks
            if size > max_bytes:
                raise OutputBoundExceeded("bytes")
    except PermissionError:  # the program keeps changing the mode back: no honest one does
        raise OutputBoundExceeded("files") from None
    finally:
        os.close(top)
    return size


# The keeper's side


def send_files(
    number: int, place: str, room: int, most: int, status: socket.socket
) -> tuple[int, int]:
    """Send the plain files of one folder.

    ``room`` and ``most`` are the bytes and entries that it may contain, OutputBoundExceeded if it
    contains more; returns what is left of both for other folders.
    """
    top = os.open(place, OPEN_FOLDER_FLAGS)
    try:
        for entry in walk_tree(top, most, force=True):
            most -= 1
            if stat.S_ISREG(entry.stat.st_mode):
                room -= _send_file(number, entry, room, status)
    finally:
        os.close(top)
    return room, most


def _send_file(number: int, entry: TreeEntry, room: int, status: socket.socket) -> int:
    try:
        entry.path.decode()
    except UnicodeDecodeError:
        raise OutputBoundExceeded("name") from None
    if len(entry.path) > MAX_PATH_BYTES:
        raise OutputBoundExceeded("name")
    if not entry.stat.st_mode & 0o400:
        os.chmod(entry.name, 0o600, dir_fd=entry.folder)
    how = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    file = os.open(entry.name, how, dir_fd=entry.folder)
    size = 0
    try:
        runs = bool(entry.stat.st_mode & stat.S_IXUSR)
        status.send(MSG_FILE + bytes((number, runs)) + entry.path)
        while data := os.read(file, CHUNK_BYTES):
            size += len(data)
            if size > room:
                raise OutputBoundExceeded("bytes")
            status.send(MSG_FILE_DATA + data)
    finally:
        os.close(file)
    return size


# The referee's side


class OutputReceiver:
    """Writes files that come from a jail to our folders; OutputBoundExceeded or OSError."""

    def __init__(self, folders: Sequence[tuple[str, Path]], max_bytes: int, max_files: int) -> None:
        self._folders = folders
        self._bytes, self._files = max_bytes, max_files
        self._file = -1
        self._path = Path()
        self._begun = False
        self.place = ""
        """The output that came last, as seen inside."""

    def begin_file(self, message: bytes) -> None:
        """Begin a file; the message has the output's number, whether it is executable, its path."""
        self.close()
        self.place, folder = self._folders[message[0]]
        self._files -= 1
        if self._files < 0:
            raise OutputBoundExceeded("files")
        runs, path = message[1], check_path(message[2:])
        self._path = folder / path
        self._path.parent.mkdir(parents=True, exist_ok=True)
        how = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        self._file = os.open(self._path, how, 0o755 if runs else 0o644)
        self._begun = False

    def write_data(self, data: bytes) -> None:
        self._bytes -= len(data)
        if self._bytes < 0:
            raise OutputBoundExceeded("bytes")
        if not self._begun and data.startswith(EXECUTABLE_MAGIC):
            os.chmod(self._file, 0o755)
        self._begun = True
        while data:
            data = data[os.write(self._file, data) :]

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def check_path(path: bytes) -> str:
    """A relative path in UTF-8 that never leads upwards; else OutputBoundExceeded."""
    try:
        text = path.decode()
    except UnicodeDecodeError:
        raise OutputBoundExceeded("name") from None
    parts = text.split("/")
    if len(path) > MAX_PATH_BYTES or "\0" in text or not all(parts) or {".", ".."} & set(parts):
        raise OutputBoundExceeded("name")
    if len(parts) > MAX_DEPTH + 1:
        raise OutputBoundExceeded("depth")
    return text
