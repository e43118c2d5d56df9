"""Ludus (弈场): one arena for game-playing programs."""

from __future__ import annotations

import os

if os.environ.get("LUDUS_UNCOMPILED") == "1":
    from ludus import _uncompiled

    _uncompiled.install()

__version__ = "0.1.0"
