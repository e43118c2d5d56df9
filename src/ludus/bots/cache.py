"""A cache of folders by key, shared by all processes of a user.

An entry is a folder with its files in ``files``, their checksums in ``sums.json`` and its size in
``size``, whose modification time is the time of last use. Why it is built this way:

- Processes may be killed at any moment, so an entry is created under a temporary name and renamed
  into place: it is complete or it does not exist.
- Several processes may need the same entry at once. A lock file per key lets one of them create it
  while the others wait; the kernel releases the lock of a process that dies.
- Files may be damaged or deleted from outside. So the checksums are compared on every use, and a
  damaged entry is created again. It is never repaired in place: a bot may be running from it.
- The cache has a size limit (``LUDUS_CACHE_MB``). The entries that were not used for the longest
  time are removed first (``cache_eviction``), but never those that a running process has used
  recently (``cache_leases``).
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import stat
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from ludus.bots import cache_eviction, cache_leases
from ludus.bots.walk_folder import walk
from ludus.errors import LudusError
from ludus.escape import refuse_undecodable
from ludus.home import ludus_home, make_folder
from ludus.os_errors import describe_os_error
from ludus.sandbox.remove_tree import remove_tree

CHUNK_BYTES = 1 << 20
DISK_BLOCK_BYTES = 4096
"""The disk space of the smallest file."""


class CacheUnwritable(LudusError):
    """The cache cannot be written: the folder is read-only for this user, or the disk is full."""

    code = "cache_unwritable"


def cache_root() -> Path:
    """The cache folder: ``$LUDUS_CACHE``, else ``cache`` in Ludus' home."""
    if given := os.environ.get("LUDUS_CACHE"):
        return Path(given).expanduser()
    return ludus_home() / "cache"


def ensure_entry(kind: str, key: str, make: Callable[[Path], None]) -> Path:
    """The folder with an entry's files.

    ``make`` fills an empty folder if the entry is missing or damaged.
    """
    folder = cache_root() / kind
    place = folder / key
    with contextlib.suppress(OSError):  # a read-only cache can still be used
        cache_leases.note_use(cache_root(), f"{kind}/{key}")
    if is_intact(place):
        with contextlib.suppress(OSError):
            os.utime(place / "size")
        return place / "files"
    try:
        make_folder(folder)
        lock = _acquire_lock(folder / f".lock-{key}")
    except OSError as error:
        raise _unwritable_error(folder, error) from None
    with lock:
        if not is_intact(place):  # another process may have created it while we waited
            _make_entry(place, make)
    return place / "files"


def _make_entry(place: Path, make: Callable[[Path], None]) -> None:
    folder = place.parent
    try:
        aside = Path(tempfile.mkdtemp(prefix=".new-", dir=folder))
    except OSError as error:
        raise _unwritable_error(folder, error) from None
    try:
        (aside / "files").mkdir()
        make(aside / "files")
        size = _seal(aside)
        with cache_leases.lock_cache(cache_root()):
            cache_eviction.make_room(cache_root(), size)
            _move_into_place(aside, place)
    except OSError as error:
        raise _unwritable_error(folder, error) from None
    finally:
        remove_tree(aside)


def _acquire_lock(path: Path) -> contextlib.ExitStack:
    """Wait for an exclusive lock on a file, which is removed on release.

    The kernel releases the lock of a process that is killed.
    """
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with contextlib.ExitStack() as lock:
            lock.callback(os.close, handle)
            fcntl.flock(handle, fcntl.LOCK_EX)
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle), path.stat()):
                    lock.callback(path.unlink, missing_ok=True)
                    return lock.pop_all()
        # else the previous holder has removed the file: try again with a new one


def mark_used(paths: Iterable[Path]) -> None:
    """Mark the entries that contain these files and folders, if any, as just used."""
    top = cache_root()
    inside = (path.relative_to(top).parts for path in paths if path.is_relative_to(top))
    for kind, key in {parts[:2] for parts in inside if len(parts) > 2}:
        with contextlib.suppress(OSError):
            cache_leases.note_use(top, f"{kind}/{key}")
            os.utime(top / kind / key / "size")


def entry_size(kind: str, key: str) -> int:
    """The disk space of an entry; 0 if it does not exist."""
    place = cache_root() / kind / key
    return cache_eviction.read_entry(f"{kind}/{key}", place).size if place.is_dir() else 0


def is_intact(place: Path) -> bool:
    """Whether an entry exists and its files have their original checksums."""
    try:
        sums = msgspec.json.decode((place / "sums.json").read_bytes(), type=dict[str, str])
        return sums == checksum_files(place / "files")
    except (OSError, msgspec.MsgspecError, LudusError):
        return False


def checksum_files(folder: Path) -> dict[str, str]:
    """Path in the folder → SHA-256, for all its files."""
    return {str(path.relative_to(folder)): checksum_file(path) for path in sorted(walk(folder))}


def checksum_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _seal(aside: Path) -> int:
    """Make the files readable for the jail's user and write ``sums.json`` and ``size``.

    Returns the disk space of the entry.
    """
    files = aside / "files"
    sums, size = checksum_files(files), DISK_BLOCK_BYTES
    folders = {aside, files}
    for name in sums:
        refuse_undecodable(name)
        path = files / name
        facts = path.stat()
        path.chmod(0o755 if facts.st_mode & stat.S_IXUSR else 0o644)
        folders |= set(path.parents) - set(aside.parents)
        size += -(-facts.st_size // DISK_BLOCK_BYTES) * DISK_BLOCK_BYTES
    for folder in folders:
        folder.chmod(0o755)
    size += DISK_BLOCK_BYTES * len(folders)
    (aside / "sums.json").write_bytes(msgspec.json.encode(sums))
    (aside / "size").write_text(str(size))
    return size


def _move_into_place(aside: Path, place: Path) -> None:
    """Rename a new entry into place.

    An entry that is already there has the same content unless it is damaged; then it is replaced.
    """
    with contextlib.suppress(OSError):
        aside.rename(place)
        return
    if is_intact(place):
        return
    old = Path(tempfile.mkdtemp(prefix=".old-", dir=place.parent))
    try:
        with contextlib.suppress(FileNotFoundError):
            place.rename(old / "damaged")
        with contextlib.suppress(FileExistsError):
            aside.rename(place)
    finally:
        remove_tree(old)
    if not is_intact(place):
        raise OSError(None, f"{place} cannot be replaced")


def _unwritable_error(folder: Path, error: OSError) -> CacheUnwritable:
    why = describe_os_error(error)
    return CacheUnwritable(
        f"cannot write to the cache {folder}: {why.en}; set LUDUS_CACHE to another folder",
        f"无法写入缓存 {folder}：{why.zh}；可用 LUDUS_CACHE 指定其他文件夹",
    )
