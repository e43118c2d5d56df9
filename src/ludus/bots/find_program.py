"""Finds installed programs, and which of their files a jail needs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ludus.bots.languages.base import extra_folders, find_on_path, is_in_system
from ludus.bots.languages.registry import is_toolchain


def locate(name: str) -> tuple[str, dict[str, Path]]:
    """A program on PATH, and the files that a jail needs for it besides the system's folders.

    Toolchains that Ludus knows, and the Python that runs Ludus, come with their prefixes. Of any
    other program only its file is visible in the jail, so that a manifest cannot name a program to
    read the files beside it.
    """
    found = find_on_path(name)
    if not found:
        return "", {}
    if is_toolchain(found):
        return found, _collect_prefixes(found)
    return found, {} if is_in_system(found) else {found: Path(found)}


def locate_typed(name: str) -> tuple[str, dict[str, Path]]:
    """As ``locate``, for a command that the user typed: a path comes with its prefix."""
    found = find_on_path(name)
    if "/" in name and found:
        return found, _collect_prefixes(found)
    return locate(name)


def _collect_prefixes(found: str) -> dict[str, Path]:
    """The prefixes of a program and of every link on the way to it.

    The real path alone is not enough: Python finds its .venv by the path it was started with.
    """
    return {str(path): path for step in _follow_links(found) for path in extra_folders(step)}


def _follow_links(path: str) -> Iterator[str]:
    """A path, and the targets of its links, one by one."""
    for _ in range(40):
        yield path
        if not os.path.islink(path):
            return
        path = os.path.abspath(os.path.join(os.path.dirname(path), os.readlink(path)))
