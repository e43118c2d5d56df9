"""What a manifest names lies in the manifest's own folder, or is refused.

A manifest comes with a game or a bot that somebody else wrote. Its words are looked up in its
folder and nowhere else, whoever runs Ludus and whatever that user may read.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath

from ludus.errors import LudusError


def resolve_manifest_path(manifest: Path, key: str, word: str) -> Path:
    """The file or folder that ``key = word`` of a manifest names; it need not exist.

    Refuses absolute paths, ``..``, links that lead out of the folder, and what is neither a file
    nor a folder (a device would never end, a pipe would never begin).
    """
    named = PurePosixPath(word)
    if named.is_absolute() or ".." in named.parts or "\0" in word:
        raise _outside_folder_error(manifest, key, word)
    path = manifest.parent / word
    if not is_inside(path, manifest.parent):
        raise _outside_folder_error(manifest, key, word)
    return path


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a path, links followed, is in a folder, and a file or a folder if it exists."""
    try:
        real = os.path.realpath(path)
        if not Path(real).is_relative_to(os.path.realpath(folder)):
            return False
        mode = os.stat(real).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):  # a loop of links, a name that no file can have
        return False
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def _outside_folder_error(manifest: Path, key: str, word: str) -> LudusError:
    shown = word if len(word) <= 100 else f"{word[:100]}…"
    return LudusError(
        f"{manifest}: {key} = {shown!r} is not a file or folder in {manifest.parent.name}/;"
        " a manifest names only what lies in its own folder",
        f"{manifest}：{key} = {shown!r} 不是 {manifest.parent.name}/ 中的文件或文件夹；"
        "清单只能指定自己文件夹中的内容",
    )
