"""Folders of bots as they were when they were found.

A jail shows a copy of exactly the files that are in the bot's digest: neither what is no part of
it (``__pycache__``, whose compiled modules Python would run instead of the sources, ``.git``), nor
what somebody writes into the folder while the bot plays.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from ludus.bots import cache
from ludus.bots.own_files import MOST_BYTES, digest_of, files_of, too_much, unreadable
from ludus.errors import LudusError


def snapshot(folder: Path) -> Path:
    """A folder that nobody changes with the files of a bot's folder and nothing else."""
    root = folder.resolve()
    files = files_of(root)
    digest = digest_of(files)
    key = hashlib.sha256("\n".join([digest, *_executable(files)]).encode()).hexdigest()

    def copy(target: Path) -> None:
        _copy(root, files, target)
        if digest_of(files_of(target)) != digest:
            raise LudusError(
                f"{folder} was changed while it was being read", f"{folder} 在读取时被修改"
            )

    return cache.entry("bots", key, copy)


def snapshots(files: Mapping[str, Path]) -> dict[str, Path]:
    """The same files, with a snapshot in place of each folder."""
    return {name: snapshot(path) if path.is_dir() else path for name, path in files.items()}


def _executable(files: Mapping[str, Path]) -> list[str]:
    """Which files may be run: no part of the digest, but not all the same to a bot."""
    return sorted(name for name, path in files.items() if path.stat().st_mode & stat.S_IXUSR)


def _copy(root: Path, files: Mapping[str, Path], target: Path) -> None:
    room = MOST_BYTES
    for name, path in files.items():
        place = target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            room -= _copy_file(root, path, place, room)
        except PermissionError as error:
            raise unreadable(path, error) from None
        if room < 0:
            raise too_much(root)


def _copy_file(root: Path, path: Path, place: Path, room: int) -> int:
    """Copy a file, never more than there is room for; its size.

    Whoever owns the folder may put a link to a file of ours in the place of one of theirs at any
    moment, so it is the file already open that has to lie in the folder.
    """
    size = 0
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as source:
        opened = source.fileno()
        mode = os.fstat(opened).st_mode
        inside = Path(os.readlink(f"/proc/self/fd/{opened}")).is_relative_to(root)
        if not stat.S_ISREG(mode) or not inside:
            raise LudusError(
                f"{path} was changed while it was being read", f"{path} 在读取时被修改"
            )
        with place.open("xb") as copied:
            while size <= room and (data := source.read(cache.CHUNK)):
                copied.write(data)
                size += len(data)
    place.chmod(0o755 if mode & stat.S_IXUSR else 0o644)
    return size
