"""Removing folders that a stranger's program has filled."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_tree(path: str | os.PathLike[str]) -> None:
    """Remove a folder with everything in it, however deep it is; nothing happens if it is gone.

    ``shutil.rmtree`` calls itself for every level and opens a descriptor for each, so a tree of
    some thousand nested folders stops it. Here every folder that is found is first moved up to
    the top, where a path is never long, and emptied there: two descriptors and no recursion.
    Links are removed, not followed. What cannot be removed (another file system mounted in it) is
    left, and so is the folder itself then.
    """
    try:
        top = _opened(os.fspath(path), None)
    except OSError:
        return
    try:
        with contextlib.suppress(OSError):
            _empty(top)
    finally:
        os.close(top)
    with contextlib.suppress(OSError):
        os.rmdir(path)


def _empty(top: int) -> None:
    names = _unused_names(top)
    waiting = _cleared(top, top, names, keep=True)
    while waiting:
        name = waiting.pop()
        with contextlib.suppress(OSError):
            folder = _opened(name, top)
            try:
                waiting += _cleared(folder, top, names)
            finally:
                os.close(folder)
            os.rmdir(name, dir_fd=top)


def _unused_names(top: int) -> Iterator[str]:
    """Names for folders that are moved to the top, where none of them is yet."""
    taken = set(os.listdir(top))
    number = 0
    while True:
        number += 1
        if (name := f"{number}") not in taken:
            yield name


def _cleared(folder: int, top: int, names: Iterator[str], keep: bool = False) -> list[str]:
    """Remove a folder's files and move its folders to the top; tells what they are called there."""
    moved = []
    for name in os.listdir(folder):
        with contextlib.suppress(OSError):
            if not stat.S_ISDIR(os.lstat(name, dir_fd=folder).st_mode):
                os.unlink(name, dir_fd=folder)
            elif keep:
                moved.append(name)
            else:
                _may_change(name, folder)  # moving a folder changes its ".."
                new = next(names)
                os.rename(name, new, src_dir_fd=folder, dst_dir_fd=top)
                moved.append(new)
    return moved


def _opened(name: str, within: int | None) -> int:
    """A folder, made readable and writable by its owner if it is not."""
    _may_change(name, within)
    return os.open(name, FOLDER, dir_fd=within)


def _may_change(name: str, within: int | None) -> None:
    handle = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=within)
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode) and mode & stat.S_IRWXU != stat.S_IRWXU:
            with contextlib.suppress(OSError):
                os.chmod(f"/proc/self/fd/{handle}", stat.S_IMODE(mode) | stat.S_IRWXU)
    finally:
        os.close(handle)
