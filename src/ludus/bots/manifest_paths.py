"""Paths in manifests, which must stay inside the manifest's own folder.

A manifest comes with a game or a bot from another author, but is read with the rights of the user
who runs Ludus. So its paths are resolved in its own folder and nowhere else.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath

from ludus.errors import LudusError


def resolve_manifest_path(manifest: Path, key: str, word: str) -> Path:
    """The file or folder that ``key = word`` of a manifest refers to; it need not exist.

    Refuses absolute paths, ``..``, links that lead out of the folder, and anything that is neither
    a file nor a folder: reading a device may never end, and opening a pipe may block.
    """
    named = PurePosixPath(word)
    if named.is_absolute() or ".." in named.parts or "\0" in word:
        raise _outside_folder_error(manifest, key, word)
    path = manifest.parent / word
    if not is_inside(path, manifest.parent):
        raise _outside_folder_error(manifest, key, word)
    return path


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a path (links followed) is in a folder, and is a file or a folder if it exists."""
    try:
        real = os.path.realpath(path)
        if not Path(real).is_relative_to(os.path.realpath(folder)):
            return False
        mode = os.stat(real).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):  # a loop of links, an invalid name
        return False
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def _outside_folder_error(manifest: Path, key: str, word: str) -> LudusError:
    shown = word if len(word) <= 100 else f"{word[:100]}…"
    return LudusError(
        f"{manifest}: {key} = {shown!r} is not a file or folder in {manifest.parent.name}/;"
        " a manifest may only refer to its own folder",
        f"{manifest}：{key} = {shown!r} 不是 {manifest.parent.name}/ 中的文件或文件夹；"
        "清单只能引用自己文件夹中的内容",
    )
