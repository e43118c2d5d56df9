"""Exceptions of players that ran elsewhere, for callers who expect the originals' own."""

from __future__ import annotations

import builtins
from typing import Any


def rebuild_exception(name: str, args: tuple[Any, ...], otherwise: str) -> Exception:
    """One of Python's own exceptions by name; a plain one that says ``otherwise`` if there is none
    or if it takes other arguments."""
    kind = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, Exception):
        try:
            return kind(*args)
        except TypeError:
            pass
    return Exception(otherwise)
