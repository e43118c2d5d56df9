"""The command that installs a package into the environment that Ludus runs in."""

from __future__ import annotations

import os
import shlex

DISTRIBUTION_NAME = "ludus-arena"
"""What Ludus is called among packages; the name of its module is taken there."""


def add_command(*packages: str) -> str:
    """The command line, as this user calls Ludus: ``./ludus add jax`` in a clone.

    An extra of Ludus itself is named alone: ``add_command("[learn]")``.
    """
    wanted = [f"{DISTRIBUTION_NAME}{each}" if each.startswith("[") else each for each in packages]
    return shlex.join([os.environ.get("LUDUS_CALLED", "ludus"), "add", *wanted])
