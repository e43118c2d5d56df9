"""Folders kept by key: made once, whole or not at all, and made again when damaged or removed.

An entry is a folder with its files in ``files``, their checksums in ``sums.json`` and their bytes
in ``size``, which is touched whenever the entry is used. It is made aside and renamed into place.
If several processes ask for the same entry at once, one makes it and the others wait. All entries
together stay below ``budget``: what was used longest ago is removed first (see ``cache_eviction``),
but nothing that a process which is still alive has used lately (see ``leases``).
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
from ludus.sandbox.remove_tree import remove_tree

CHUNK_BYTES = 1 << 20
DISK_BLOCK_BYTES = 4096
"""What even the smallest file takes of a disk."""


class CacheUnwritable(LudusError):
    """Nothing can be kept: the home is closed to this user, or the disk is full."""

    code = "cache_unwritable"


def cache_root() -> Path:
    """The folder of everything that is kept to save time: ``$LUDUS_CACHE``, else in the home."""
    if given := os.environ.get("LUDUS_CACHE"):
        return Path(given).expanduser()
    return ludus_home() / "cache"


def ensure_entry(kind: str, key: str, make: Callable[[Path], None]) -> Path:
    """The files of an entry; ``make`` fills an empty folder if there is none or it is damaged."""
    folder = cache_root() / kind
    place = folder / key
    with contextlib.suppress(OSError):  # somebody else's cache can be used, if not added to
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
        if not is_intact(place):  # another process may have made it while we waited
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
        # else the last holder has removed the file: try again with a new one


def mark_used(paths: Iterable[Path]) -> None:
    """Keep the entries that these files and folders belong to, if any, as lately used ones."""
    top = cache_root()
    inside = (path.relative_to(top).parts for path in paths if path.is_relative_to(top))
    for kind, key in {parts[:2] for parts in inside if len(parts) > 2}:
        with contextlib.suppress(OSError):
            cache_leases.note_use(top, f"{kind}/{key}")
            os.utime(top / kind / key / "size")


def entry_size(kind: str, key: str) -> int:
    """What an entry takes of the disk; 0 if there is none."""
    place = cache_root() / kind / key
    return cache_eviction.read_entry(f"{kind}/{key}", place).size if place.is_dir() else 0


def is_intact(place: Path) -> bool:
    """Whether an entry is there and its files are those that were put into it."""
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
    """Readable by the jail's user, changed by nobody; tells what it takes of the disk."""
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
    """Rename into place. Whoever was faster has put the same there, unless it is damaged."""
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
    why = error.strerror or str(error)
    return CacheUnwritable(
        f"cannot keep anything in {folder}: {why}; LUDUS_CACHE names another place",
        f"无法在 {folder} 中保存：{why}；可用 LUDUS_CACHE 指定其他位置",
    )
