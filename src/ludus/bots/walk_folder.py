"""Lists untrusted folders, with limits."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path

from ludus.errors import LudusError

MAX_FOLDER_DEPTH = 64
"""The deepest nesting of folders."""
MAX_FOLDER_ENTRIES = 50_000
"""The most files and folders together."""


def walk(folder: Path, skip: Collection[str] = ()) -> Iterator[Path]:
    """All files in a folder and below: first its own by name, then those of its subfolders.

    Links are listed and not followed; folders with a name in ``skip`` are left out. ``os.walk`` and
    ``Path.rglob`` recurse for each level of a tree, which may be thousands of levels deep; here
    such a tree is refused with a LudusError.
    """
    waiting = [(folder, 0)]
    count = 0
    while waiting:
        place, depth = waiting.pop()
        folders = []
        for entry in _list_entries(place):
            count += 1
            if not entry.is_dir(follow_symlinks=False):
                yield Path(entry.path)
            elif entry.name not in skip:
                folders.append((Path(entry.path), depth + 1))
        if count > MAX_FOLDER_ENTRIES or (depth >= MAX_FOLDER_DEPTH and folders):
            raise LudusError(
                f"{folder} contains more than {MAX_FOLDER_ENTRIES} files and folders, or folders"
                f" nested more than {MAX_FOLDER_DEPTH} deep",
                f"{folder} 中的文件和文件夹超过 {MAX_FOLDER_ENTRIES} 个，或嵌套超过"
                f" {MAX_FOLDER_DEPTH} 层",
            )
        waiting += reversed(folders)


def _list_entries(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        listed = []
        for entry in entries:
            listed.append(entry)
            if len(listed) > MAX_FOLDER_ENTRIES:
                break
    return sorted(listed, key=lambda entry: entry.name)
