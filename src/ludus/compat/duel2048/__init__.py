"""The original Duel 2048's own tools: the same names and files, played by the Ludus referee.

``from ludus.compat.duel2048 import round_match, plat, constants, livetool``
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from ludus.games.duel2048 import constants

sys.modules[f"{__name__}.constants"] = constants  # one module, whatever it is called

__all__ = ["constants", "livetool", "plat", "records", "round_match"]


def __getattr__(name: str) -> Any:
    """Import a tool when it is first asked for, so that ``python -m`` runs it only once."""
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
