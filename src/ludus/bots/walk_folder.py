"""Walking through folders that a stranger has filled."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path

from ludus.errors import LudusError

MAX_FOLDER_DEPTH = 64
"""Folders in folders."""
MAX_FOLDER_ENTRIES = 50_000
"""Files and folders."""


def walk(folder: Path, skip: Collection[str] = ()) -> Iterator[Path]:
    """Everything in a folder but its folders: first its own files by name, then those further down.

    Links are given and not followed; folders called like one of ``skip`` are passed over.
    ``os.walk`` and ``Path.rglob`` call themselves for each level of a tree, which a stranger may
    have made thousands of levels deep; here such a tree is refused with a LudusError.
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
                f"{folder} holds more than {MAX_FOLDER_ENTRIES} files and folders, or"
                " folders in folders"
                f" more than {MAX_FOLDER_DEPTH} deep",
                f"{folder} 中的文件和文件夹超过 {MAX_FOLDER_ENTRIES} 个，或嵌套超过"
                f" {MAX_FOLDER_DEPTH} 层",
            )
        waiting += reversed(folders)


def _list_entries(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        found = []
        for entry in entries:
            found.append(entry)
            if len(found) > MAX_FOLDER_ENTRIES:
                break
    return sorted(found, key=lambda entry: entry.name)
