"""The original Paper.io's own tools: the same names and files, played by the Ludus referee.

``from ludus.compat.paperio import match_core, match_interface, records``
"""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["match_core", "match_interface", "records"]


def __getattr__(name: str) -> Any:
    """Import a tool when it is first asked for."""
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
