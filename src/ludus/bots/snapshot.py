"""Copies of a bot's files, taken when the bot is resolved.

A contest may run for days while people edit their bots. Results are recorded under the bot's
digest, so every bout must run exactly the files that were hashed. Therefore:

- The files are copied into the cache, and jails only see the copy. Later edits have no effect.
- Only files that are part of the digest are copied: not ``.git``, and not ``__pycache__``, whose
  compiled modules Python would run instead of the sources.
- Files may change *while* they are copied. So the copy is hashed again; if the digests differ, the
  bot is refused.
- The owner of the folder may replace a file with a link to a file that only we can read. So the
  check that a file is inside the folder is made on the open descriptor, not on the path.

Where the cache cannot be written, the copy is a temporary folder of this process.
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
    """A copy of a bot's folder that never changes, with the files of its digest only."""
    root = folder.resolve()
    return _cache_copy(list_bot_files(root), [root], folder)


def snapshot_files(files: Mapping[str, Path], roots: Collection[Path]) -> dict[str, Path]:
    """Copies of files and folders that never change, by the same names.

    ``roots``: the real folders that must contain the files.
    """
    copies = {name: snapshot_folder(path) for name, path in files.items() if path.is_dir()}
    alone = [name for name in files if name not in copies]
    if alone:
        numbered = {str(number): files[name] for number, name in enumerate(alone)}
        place = _cache_copy(numbered, roots, files[alone[0]])
        copies |= {name: place / str(number) for number, name in enumerate(alone)}
    return {name: copies[name] for name in files}


def _cache_copy(files: Mapping[str, Path], roots: Collection[Path], shown: Path) -> Path:
    """A folder of the cache with copies of the files by name; all must be inside the roots."""
    digest = compute_digest(files)
    # The digest of a single file does not depend on its name, so the names are part of the key.
    facts = [digest, *sorted(files), "executable:", *_list_executable(files)]
    key = hashlib.sha256("\n".join(facts).encode()).hexdigest()

    def copy(target: Path) -> None:
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
        if compute_digest(list_bot_files(target)) != digest:
            raise _changed_error(shown)

    try:
        return cache.ensure_entry("bots", key, copy)
    except cache.CacheUnwritable:
        return _hold_temporary_copy(key, copy)


_folders: dict[str, TempFolder] = {}
"""Temporary copies of this process, for when the cache cannot be written."""


def _hold_temporary_copy(key: str, copy: Callable[[Path], None]) -> Path:
    """A copy in a temporary folder, which is removed when this process ends."""
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
    if os.getpid() == owner:  # not in a forked child, which inherits the exit handlers
        folder.cleanup()


def _list_executable(files: Mapping[str, Path]) -> list[str]:
    """The executable files: the mode is not part of the digest, but matters to a bot."""
    return sorted(name for name, path in files.items() if path.stat().st_mode & stat.S_IXUSR)


def _copy_file(roots: Collection[Path], path: Path, place: Path, room: int) -> int:
    """Copy a file, at most ``room`` bytes, and return its size.

    The path may be replaced by a link to any file at any moment, so the check that the file is
    inside the roots is made on the open descriptor.
    """
    size = 0
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as source:
        opened = source.fileno()
        mode = os.fstat(opened).st_mode
        real = Path(os.readlink(f"/proc/self/fd/{opened}"))
        if not stat.S_ISREG(mode) or not any(map(real.is_relative_to, roots)):
            raise _changed_error(path)
        with place.open("xb") as copied:
            while size <= room and (data := source.read(cache.CHUNK_BYTES)):
                copied.write(data)
                size += len(data)
    place.chmod(0o755 if mode & stat.S_IXUSR else 0o644)
    return size


def _changed_error(what: Path) -> LudusError:
    return LudusError(f"{what} was changed while it was being read", f"{what} 在读取时被修改")
