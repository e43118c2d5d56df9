"""Removed files that still take up disk space, because a program holds them open or mapped.

A file that was removed, or made without a name (``O_TMPFILE``), is there until the last descriptor
and the last mapping of it are gone. The keeper finds it where the kernel shows both: in the
``/proc`` of the host, which lists descriptors with the files themselves behind them, so that
``stat`` tells their blocks, and mappings with the inode's number and a path that ends in
"(deleted)". Behind a mapping an ordinary user gets no ``stat``: a file that is mapped and no longer
open counts as the largest that there can be: one mapped page keeps all of its blocks, and no
honest program closes a removed file that it still uses. Descriptors that are on their way through a
socket are shown nowhere; so the seccomp filter refuses to send them where this is needed.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterable

DELETED_MAPPING = re.compile(rb"^\S+ \S+ \S+ \S+ (\d+) +(/.*) \(deleted\)$", re.MULTILINE)
"""A line of ``maps``: addresses, rights, offset, device, inode, path; newlines are escaped."""


class FilesHidden(Exception):
    """A process does not let its files be seen."""


def count_held_bytes(
    proc: int,
    processes: Iterable[str],
    places: Collection[str],
    largest: int,
    excluded_devices: Collection[int] = (),
) -> int:
    """Bytes on disk of the removed files that these processes of a ``/proc`` hold.

    ``places``: the folders in which they were, for mappings; ``largest``: bytes that a file can
    have; ``excluded_devices``: devices that have a size of their own. FilesHidden if a process
    cannot be looked into although it lives: its user may run its program but not read it.
    """
    under = tuple(os.fsencode(os.path.realpath(place)) + b"/" for place in places)
    files: dict[tuple[int, int], int] = {}
    mapped: set[int] = set()
    for process in processes:
        try:
            files |= _open_files(proc, process, excluded_devices)
            mapped |= _mapped_files(proc, process, under)
        except PermissionError:
            raise FilesHidden(process) from None
        except OSError:  # it has ended
            continue
    unknown = mapped - {inode for _, inode in files}
    return sum(files.values()) + largest * len(unknown)


def _open_files(
    proc: int, process: str, excluded_devices: Collection[int]
) -> dict[tuple[int, int], int]:
    """Device and inode → bytes on disk of the removed files that a process has open."""
    sizes = {}
    folder = os.open(f"{process}/fd", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=proc)
    try:
        for number in os.listdir(folder):
            try:
                seen = os.stat(number, dir_fd=folder)
            except FileNotFoundError:  # closed meanwhile
                continue
            if (
                stat.S_ISREG(seen.st_mode)
                and not seen.st_nlink
                and seen.st_dev not in excluded_devices
            ):
                sizes[seen.st_dev, seen.st_ino] = 512 * seen.st_blocks
    finally:
        os.close(folder)
    return sizes


def _mapped_files(proc: int, process: str, under: tuple[bytes, ...]) -> set[int]:
    """The inodes of the removed files of some folders that a process has mapped."""
    with open(os.open(f"{process}/maps", os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc), "rb") as file:
        lines = file.read()
    return {int(inode) for inode, path in DELETED_MAPPING.findall(lines) if path.startswith(under)}
