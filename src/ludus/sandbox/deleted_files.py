"""Files that no folder shows any more and that still take disk, because a program holds them.

A file that was removed, or made without a name (``O_TMPFILE``), is there until the last descriptor
and the last mapping of it are gone. The keeper finds it where the kernel shows both: in the
``/proc`` of the host, which lists descriptors with the files themselves behind them, so that
``stat`` tells their blocks, and mappings with the inode's number and a path that ends in
"(deleted)". Behind a mapping an ordinary user gets no ``stat``: a file that is mapped and no longer
open counts as the largest that there can be. A page of it holds all of its blocks, and nobody
honest closes a removed file that they still use. What the kernel keeps elsewhere, descriptors under
way in a socket, it does not show; so the call filter refuses to send them where this is needed.
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
    facts: int,
    processes: Iterable[str],
    places: Collection[str],
    largest: int,
    but_on: Collection[int] = (),
) -> int:
    """Bytes on disk of the removed files that these processes of a ``/proc`` hold.

    ``places``: the folders in which they were, for mappings; ``largest``: bytes that a file can
    have; ``but_on``: devices that have a size of their own. Unseen if a process that lives on
    cannot be looked into: one whose program its user may run and not read.
    """
    under = tuple(os.fsencode(os.path.realpath(place)) + b"/" for place in places)
    files: dict[tuple[int, int], int] = {}
    mapped: set[int] = set()
    for process in processes:
        try:
            files |= _open_files(facts, process, but_on)
            mapped |= _mapped_files(facts, process, under)
        except PermissionError:
            raise FilesHidden(process) from None
        except OSError:  # it has ended
            continue
    unknown = mapped - {inode for _, inode in files}
    return sum(files.values()) + largest * len(unknown)


def _open_files(facts: int, process: str, but_on: Collection[int]) -> dict[tuple[int, int], int]:
    """Device and inode → bytes on disk of the removed files that a process has open."""
    found = {}
    folder = os.open(f"{process}/fd", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=facts)
    try:
        for number in os.listdir(folder):
            try:
                seen = os.stat(number, dir_fd=folder)
            except FileNotFoundError:  # closed meanwhile
                continue
            if stat.S_ISREG(seen.st_mode) and not seen.st_nlink and seen.st_dev not in but_on:
                found[seen.st_dev, seen.st_ino] = 512 * seen.st_blocks
    finally:
        os.close(folder)
    return found


def _mapped_files(facts: int, process: str, under: tuple[bytes, ...]) -> set[int]:
    """The inodes of the removed files of some folders that a process has mapped."""
    with open(os.open(f"{process}/maps", os.O_RDONLY | os.O_CLOEXEC, dir_fd=facts), "rb") as file:
        lines = file.read()
    return {int(inode) for inode, path in DELETED_MAPPING.findall(lines) if path.startswith(under)}
