"""Ludus (弈场): one arena for game-playing programs.

The names in ``__all__`` are the public Python interface, described in docs/en/python.md; all other
modules may change from one version to the next. A public name is imported when it is first used,
so ``import ludus`` itself costs next to nothing.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as in typing, which takes longer to import than all that is done here
if TYPE_CHECKING:
    from typing import Any

    from ludus.api.bouts import BoutResult, load, play
    from ludus.api.matches import MatchResult, match
    from ludus.api.setups import GamePosition, GameSetup, game, games
    from ludus.errors import LudusError
    from ludus.games.base import Clock, IllegalMove

__version__ = "1.0.0"

__all__ = [
    "BoutResult",
    "Clock",
    "GamePosition",
    "GameSetup",
    "IllegalMove",
    "LudusError",
    "MatchResult",
    "__version__",
    "game",
    "games",
    "load",
    "match",
    "play",
]

_MODULES = {
    "BoutResult": "ludus.api.bouts",
    "Clock": "ludus.games.base",
    "GamePosition": "ludus.api.setups",
    "GameSetup": "ludus.api.setups",
    "IllegalMove": "ludus.games.base",
    "LudusError": "ludus.errors",
    "MatchResult": "ludus.api.matches",
    "game": "ludus.api.setups",
    "games": "ludus.api.setups",
    "load": "ludus.api.bouts",
    "match": "ludus.api.matches",
    "play": "ludus.api.bouts",
}
"""Where each public name is defined."""


class _CythonFinder:
    """Finds ``ludus._cython_names`` for ``import cython``: always where sources run uncompiled
    on purpose, otherwise where Cython is not installed."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        if name != "cython":
            return None
        from importlib.util import find_spec, spec_from_file_location

        names = find_spec("ludus._cython_names")
        return names and spec_from_file_location(name, names.origin)


sys.meta_path.append(_CythonFinder)
if os.environ.get("LUDUS_UNCOMPILED") == "1":
    from ludus import _uncompiled

    _uncompiled.install(_CythonFinder)


class _LudusModule(type(sys)):  # type: ignore[misc]
    """This module. Its packages ``games`` and ``match`` can be called like the public functions of
    the same names, whichever of their modules was imported first."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _MODULES and isinstance(value, type(sys)):
            value.__class__ = _CallablePackage
        super().__setattr__(name, value)


class _CallablePackage(type(sys)):  # type: ignore[misc]
    """A package with the name of a public function."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        return _import_public(self.__name__.rpartition(".")[2])(*args, **options)

    @property
    def __signature__(self) -> Any:
        from inspect import signature

        return signature(_import_public(self.__name__.rpartition(".")[2]))


def _import_public(name: str) -> Any:
    from importlib import import_module

    return getattr(import_module(_MODULES[name]), name)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module 'ludus' has no attribute {name!r}")
    found = _import_public(name)
    # Importing it may have put the package of the same name here, which is called just as well.
    return globals().setdefault(name, found)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


sys.modules[__name__].__class__ = _LudusModule
