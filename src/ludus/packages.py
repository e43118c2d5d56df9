"""The commands that change the packages of the environment that Ludus runs in."""

from __future__ import annotations

import shlex

from ludus.called import program_name

DISTRIBUTION_NAME = "ludus-arena"
"""What Ludus is called among packages; the name of its module is taken there."""


def add_command(*packages: str) -> str:
    """The command line, as this user calls Ludus: ``./ludus add jax`` in a clone.

    An extra of Ludus itself is named alone: ``add_command("[learn]")``.
    """
    wanted = [f"{DISTRIBUTION_NAME}{each}" if each.startswith("[") else each for each in packages]
    return _command_line("add", *wanted)


def uninstall_command(package: str) -> str:
    """The command line that takes a package out again."""
    return _command_line("python", "-m", "pip", "uninstall", package)


def _command_line(*words: str) -> str:
    return shlex.join([program_name(), *words])
