"""Rebuilds exceptions of players in other processes, for tools that expect the originals'."""

from __future__ import annotations

import builtins
from typing import Any


def rebuild_exception(name: str, args: tuple[Any, ...], otherwise: str) -> Exception:
    """A built-in exception by name; an ``Exception`` with the text ``otherwise`` if there is none
    or if it takes other arguments."""
    kind = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, Exception):
        try:
            return kind(*args)
        except TypeError:
            pass
    return Exception(otherwise)
