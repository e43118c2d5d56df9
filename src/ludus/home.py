"""Where Ludus keeps what it keeps for a person."""

from __future__ import annotations

import os
from pathlib import Path

from ludus.errors import LudusError


def home() -> Path:
    """The folder of everything: ``$LUDUS_HOME``, else one in the person's data folder."""
    try:
        if given := os.environ.get("LUDUS_HOME"):
            return Path(given).expanduser()
        data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
        return Path(data).expanduser() / "ludus"
    except RuntimeError:
        raise LudusError(
            f"user {os.getuid()} of this system has no home folder; name the folder in which Ludus"
            " may keep its files: LUDUS_HOME=/some/folder",
            f"本系统的用户 {os.getuid()} 没有主目录；请指定 Ludus 存放文件的文件夹："
            "LUDUS_HOME=/某个文件夹",
        ) from None


def holds_the_persons_home(folder: Path) -> bool:
    """Whether a folder is the person's own home, or one that the home is in."""
    try:
        return Path.home().is_relative_to(folder)
    except RuntimeError:  # a user without a home
        return False
