"""How a person installs a package into the environment that Ludus runs in."""

from __future__ import annotations

import os
import shlex
import sys

DISTRIBUTION = "ludus-arena"
"""What Ludus is called among packages; the name of its module belongs to somebody else there."""


def add_command(*packages: str) -> str:
    """The command line: by the script of a clone if that started us, else by pip.

    An extra of Ludus itself is named alone: ``add_command("[learn]")``.
    """
    wanted = [f"{DISTRIBUTION}{each}" if each.startswith("[") else each for each in packages]
    if called := os.environ.get("LUDUS_CALLED"):
        return shlex.join([called, "add", *wanted])
    return shlex.join([sys.executable or "python3", "-m", "pip", "install", *wanted])
