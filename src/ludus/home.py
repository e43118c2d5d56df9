"""Where Ludus keeps what it keeps for a person."""

from __future__ import annotations

import os
from pathlib import Path


def home() -> Path:
    """The folder of everything: ``$LUDUS_HOME``, else one in the person's data folder."""
    if given := os.environ.get("LUDUS_HOME"):
        return Path(given).expanduser()
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(data).expanduser() / "ludus"
