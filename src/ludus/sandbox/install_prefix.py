"""Folders that programs are installed in: which of them a jail may show whole."""

from __future__ import annotations

import os
import pwd
import sysconfig
from pathlib import Path

from ludus.home import contains_user_home

SHARED_FOLDERS = {
    "/",
    "/etc",
    "/home",
    "/media",
    "/mnt",
    "/opt",
    "/root",
    "/run",
    "/srv",
    "/tmp",
    "/var",
}
PYTHON_PREFIX_MARKERS = ("pyvenv.cfg", "conda-meta")
"""Files in a folder that belongs to a single Python, whatever it is called."""


def is_shared(prefix: Path) -> bool:
    """Whether a folder with a ``bin`` holds other things than one toolchain.

    Homes do, and hidden folders such as ``~/.local`` and ``~/.cargo``: programs of many kinds are
    installed there, beside keys and other secrets.
    """
    if any((prefix / mark).exists() for mark in PYTHON_PREFIX_MARKERS):
        return False
    real = Path(os.path.realpath(prefix))
    if prefix.name.startswith(".") or real.name.startswith(".") or str(real) in SHARED_FOLDERS:
        return True
    return contains_user_home(real) or _is_home(real)


def _is_home(folder: Path) -> bool:
    """Whether it is the home of the user whom it belongs to."""
    try:
        return Path(pwd.getpwuid(folder.stat().st_uid).pw_dir).resolve() == folder
    except (OSError, KeyError):
        return False


def list_python_library(prefix: Path) -> list[Path]:
    """The folders that our interpreter needs of a prefix that it shares with other programs."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    paths = [Path(sysconfig.get_path(name)) for name in names]
    paths += sorted((prefix / "lib").glob("libpython*"))
    return list(dict.fromkeys(path for path in paths if path.exists()))
