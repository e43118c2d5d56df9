"""Removing folders that a stranger's program filled: of any depth, with any names and modes."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import struct
import time
from collections.abc import Iterator

OPEN_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
MAX_OPEN_FOLDERS = 64
"""Folders held open on the way down. Deeper ones are moved up first, so that neither the stack,
the descriptors nor the length of a path limits how deep a tree may be."""
MAX_REMOVE_PASSES = 5
"""Passes: a program that still runs may be adding to the tree."""
MAX_WAIT_FOR_OTHER_S = 60.0
"""How long a process that removes the same tree is waited for."""
GET_FLAGS, SET_FLAGS = 0x80086601, 0x40086602
IMMUTABLE_FLAGS = 0x10 | 0x20
"""Immutable and append-only: nothing below such a folder can be removed, whatever its mode."""


def remove_tree(path: str | os.PathLike[str], *, locked: bool = False) -> None:
    """Remove a file or a folder with all that is in it.

    Of several processes that remove the same folder one does it and the others wait, by a lock
    (flock) on it; ``locked`` says that the caller holds one already.

    Without recursion, without following links, whatever the modes of what this user owns. What does
    not exist is not an error; what cannot be removed, because it belongs to another user, is left,
    as with ``shutil.rmtree(path, ignore_errors=True)``.
    """
    name = os.fsencode(path).rstrip(b"/") or b"/"
    with contextlib.suppress(OSError):
        above = os.open(os.path.dirname(name) or b".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            name = os.path.basename(name)
            with contextlib.nullcontext() if locked else _lock(name, above):
                for _ in range(MAX_REMOVE_PASSES):
                    if _unlink(name, above):
                        break
                    _remove_folder(name, above)
        finally:
            os.close(above)


@contextlib.contextmanager
def _lock(name: bytes, above: int) -> Iterator[None]:
    """Hold a folder alone, or go on when that takes too long."""
    if (folder := _open(name, above)) < 0:
        yield
        return
    try:
        give_up = time.monotonic() + MAX_WAIT_FOR_OTHER_S
        while not _try_lock(folder) and time.monotonic() < give_up:
            time.sleep(0.005)
        yield
    finally:
        os.close(folder)


def _try_lock(folder: int) -> bool:
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _remove_folder(name: bytes, above: int) -> None:
    """Depth first. ``way`` holds the folders from the top down, each with what is left in it."""
    if (top := _open(name, above)) < 0:
        return
    way = [(name, top, _clear(top))]
    try:
        while way:
            name, folder, left = way[-1]
            if left:
                below = left.pop()
                if len(way) >= MAX_OPEN_FOLDERS and _move_up(below, folder, top, way[0][2]):
                    continue
                if (opened := _open(below, folder)) >= 0:
                    way.append((below, opened, _clear(opened)))
                continue
            way.pop()
            os.close(folder)
            with contextlib.suppress(OSError):
                os.rmdir(name, dir_fd=way[-1][1] if way else above)
    finally:
        for _, folder, _ in way:
            os.close(folder)


def _move_up(name: bytes, folder: int, top: int, left_in_top: list[bytes]) -> bool:
    """Put a deep folder under the topmost one, with a name of its own."""
    new = b".moved-" + os.urandom(8).hex().encode()  # a name that cannot exist yet
    try:
        os.chmod(name, 0o700, dir_fd=folder)  # moving a folder changes it
        os.rename(name, new, src_dir_fd=folder, dst_dir_fd=top)
    except OSError:
        return False
    left_in_top.append(new)
    return True


def _open(name: bytes, above: int) -> int:
    """A folder that can be listed and changed, or -1."""
    with contextlib.suppress(OSError):
        facts = os.stat(name, dir_fd=above, follow_symlinks=False)
        if not stat.S_ISDIR(facts.st_mode):
            return -1
        if facts.st_mode & 0o700 != 0o700:
            with contextlib.suppress(OSError):
                os.chmod(name, 0o700, dir_fd=above)
        return os.open(name, OPEN_FOLDER_FLAGS, dir_fd=above)
    return -1


def _clear(folder: int) -> list[bytes]:
    """Remove everything but folders; returns the names of these."""
    _make_mutable(folder)
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        names = [os.fsencode(entry.name) for entry in entries]
        return [name for name in names if not _unlink(name, folder)]
    return []


def _unlink(name: bytes, above: int) -> bool:
    """False if it is a folder."""
    try:
        os.unlink(name, dir_fd=above)
    except FileNotFoundError:
        return True
    except OSError:
        with contextlib.suppress(OSError):
            if stat.S_ISDIR(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode):
                return False
            _make_file_mutable(name, above)
            os.unlink(name, dir_fd=above)
    return True


def _make_file_mutable(name: bytes, above: int) -> None:
    file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=above)
    try:
        _make_mutable(file)
    finally:
        os.close(file)


def _make_mutable(file: int) -> None:
    """Clear these flags, where the file system has them; only root can have set them."""
    if os.geteuid() != 0:
        return
    with contextlib.suppress(OSError):
        flags = struct.unpack("l", fcntl.ioctl(file, GET_FLAGS, struct.pack("l", 0)))[0]
        if flags & IMMUTABLE_FLAGS:
            fcntl.ioctl(file, SET_FLAGS, struct.pack("l", flags & ~IMMUTABLE_FLAGS))
