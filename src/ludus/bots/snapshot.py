"""Bots as they were when they were found.

A jail shows a copy of exactly the files that are in the bot's digest: neither what is no part of
it (``__pycache__``, whose compiled modules Python would run instead of the sources, ``.git``), nor
what somebody writes into them while the bot plays, be it in the last bout of a long contest.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import stat
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from ludus.bots import cache
from ludus.bots.read_source import unreadable_error
from ludus.bots.source_files import MAX_BOT_BYTES, compute_digest, list_bot_files, too_large_error
from ludus.bots.temp_folders import TempFolder
from ludus.errors import LudusError


def snapshot_folder(folder: Path) -> Path:
    """A folder that nobody changes with the files of a bot's folder and nothing else."""
    root = folder.resolve()
    return _cache_copy(list_bot_files(root), [root], folder)


def snapshot_files(files: Mapping[str, Path], roots: Collection[Path]) -> dict[str, Path]:
    """The same files and folders by their names, as copies that nobody changes.

    ``roots``: the real folders in which the files have to lie.
    """
    copies = {name: snapshot_folder(path) for name, path in files.items() if path.is_dir()}
    alone = [name for name in files if name not in copies]
    if alone:
        numbered = {str(number): files[name] for number, name in enumerate(alone)}
        place = _cache_copy(numbered, roots, files[alone[0]])
        copies |= {name: place / str(number) for number, name in enumerate(alone)}
    return {name: copies[name] for name in files}


def _cache_copy(files: Mapping[str, Path], roots: Collection[Path], shown: Path) -> Path:
    """A folder of the cache with the files by their names there; all of them lie in the roots."""
    digest = compute_digest(files)
    facts = [
        digest,
        *sorted(files),
        "executable:",
        *_list_executable(files),
    ]  # a lone file's digest
    key = hashlib.sha256("\n".join(facts).encode()).hexdigest()  # does not tell its name

    def copy(target: Path) -> None:
        _copy(roots, files, target, shown)
        if compute_digest(list_bot_files(target)) != digest:
            raise _changed_error(shown)

    try:
        return cache.ensure_entry("bots", key, copy)
    except cache.CacheUnwritable:
        return _hold_temporary_copy(key, copy)


_folders: dict[str, TempFolder] = {}
"""Copies that this process keeps for itself, where there is no cache to be written to."""


def _hold_temporary_copy(key: str, copy: Callable[[Path], None]) -> Path:
    """A temporary folder that lasts as long as this process."""
    if key not in _folders:
        folder = TempFolder("bot")
        try:
            copy(Path(folder.name))
        except BaseException:
            folder.cleanup()
            raise
        _folders[key] = folder
        atexit.register(_remove, folder, os.getpid())
    return Path(_folders[key].name)


def _remove(folder: TempFolder, owner: int) -> None:
    if os.getpid() == owner:  # and not a worker that was forked from it
        folder.cleanup()


def _list_executable(files: Mapping[str, Path]) -> list[str]:
    """Which files may be run: no part of the digest, but not all the same to a bot."""
    return sorted(name for name, path in files.items() if path.stat().st_mode & stat.S_IXUSR)


def _copy(roots: Collection[Path], files: Mapping[str, Path], target: Path, shown: Path) -> None:
    room = MAX_BOT_BYTES
    for name, path in files.items():
        place = target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            room -= _copy_file(roots, path, place, room)
        except PermissionError as error:
            raise unreadable_error(path, error) from None
        if room < 0:
            raise too_large_error(shown)


def _copy_file(roots: Collection[Path], path: Path, place: Path, room: int) -> int:
    """Copy a file, never more than there is room for; its size.

    Whoever owns the folder may put a link to a file of ours in the place of one of theirs at any
    moment, so it is the file already open that has to lie in the folder.
    """
    size = 0
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as source:
        opened = source.fileno()
        mode = os.fstat(opened).st_mode
        lies = Path(os.readlink(f"/proc/self/fd/{opened}"))
        if not stat.S_ISREG(mode) or not any(map(lies.is_relative_to, roots)):
            raise _changed_error(path)
        with place.open("xb") as copied:
            while size <= room and (data := source.read(cache.CHUNK_BYTES)):
                copied.write(data)
                size += len(data)
    place.chmod(0o755 if mode & stat.S_IXUSR else 0o644)
    return size


def _changed_error(what: Path) -> LudusError:
    return LudusError(f"{what} was changed while it was being read", f"{what} 在读取时被修改")
