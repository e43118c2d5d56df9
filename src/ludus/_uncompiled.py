"""Run the plain Python sources although compiled ones lie beside them (``LUDUS_UNCOMPILED=1``)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import FileFinder, ModuleSpec, SourceFileLoader
from types import ModuleType
from typing import Any


class SourceFinder:
    """Finds ``ludus`` modules by their ``.py`` files only."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not name.startswith("ludus."):
            return None
        for folder in path or ():
            if spec := FileFinder(folder, (SourceFileLoader, [".py"])).find_spec(name, target):
                return spec
        return None


def install(cython_finder: Any) -> None:
    """From now on, import sources, and Cython's names from Ludus itself."""
    sys.meta_path[:0] = [SourceFinder, cython_finder]
