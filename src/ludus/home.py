"""Where Ludus keeps what it keeps for a person: for that person's eyes alone."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

OTHERS = 0o077
"""What a mode allows to anybody but the owner."""


def home() -> Path:
    """The folder of everything: ``$LUDUS_HOME``, else one in the person's data folder."""
    if given := os.environ.get("LUDUS_HOME"):
        return Path(given).expanduser()
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(data).expanduser() / "ludus"


def make_folder(folder: Path) -> None:
    """Make a folder and those above it. The home and what lies in it are closed to other users,
    whatever the umask; an older home is closed, too."""
    inside = home()
    if folder == inside or inside in folder.parents:
        make_private(inside)
        close_to_others(inside)
        make_private(folder)
    else:
        folder.mkdir(parents=True, exist_ok=True)


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for the owner alone."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)


def close_to_others(path: Path) -> bool:
    """Take from other users what they may do with a file or folder of ours; whether there was
    anything to take. A folder that is meant for several people (the sticky bit) stays as it is."""
    with contextlib.suppress(OSError):
        found = path.lstat()
        shared = found.st_mode & stat.S_ISVTX
        if found.st_uid == os.geteuid() and not shared and not stat.S_ISLNK(found.st_mode):
            if not found.st_mode & OTHERS:
                return False
            path.chmod(stat.S_IMODE(found.st_mode) & ~OTHERS)
            return True
    return False


def close_home(folder: Path, *more: Path) -> list[Path]:
    """Close a server's home, what lies in it, and files of it that lie elsewhere.

    Only the first level is looked at: nobody gets further down than that.
    """
    make_private(folder)
    inside = [each for each in folder.iterdir() if not each.is_symlink()]
    return [each for each in (folder, *inside, *more) if close_to_others(each)]
