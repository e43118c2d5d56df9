"""Where Ludus keeps what it keeps for a person."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
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
        return Path.home().resolve().is_relative_to(folder.resolve())
    except RuntimeError:  # a user without a home
        return False


def secret_file(path: Path, make: Callable[[], bytes]) -> bytes:
    """What a file holds that only its owner may read; ``make`` gives it when there is none yet.

    It appears whole or not at all. Of several processes that make it at once one wins, and all of
    them get what that one wrote.
    """
    with contextlib.suppress(FileNotFoundError):
        return path.read_bytes()
    path.parent.mkdir(parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)  # mode 0600
    try:
        with open(number, "wb") as file:
            file.write(make())
            file.flush()
            os.fsync(number)
        with contextlib.suppress(FileExistsError):
            os.link(name, path)
    finally:
        os.unlink(name)
    return path.read_bytes()
