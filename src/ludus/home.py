"""Where Ludus keeps what it keeps for a person."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path


def home() -> Path:
    """The folder of everything: ``$LUDUS_HOME``, else one in the person's data folder."""
    if given := os.environ.get("LUDUS_HOME"):
        return Path(given).expanduser()
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(data).expanduser() / "ludus"


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
