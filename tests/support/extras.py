"""Tests of what an extra brings."""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import pytest


def need_extra(extra: str, *packages: str) -> None:
    """Skip a whole module where an extra is missing.

    Nothing is imported: every worker collects every module, and few of them run it.
    """
    if not all(map(find_spec, packages)):
        pytest.skip(f"the extra `{extra}` is not installed", allow_module_level=True)


class Later(ModuleType):
    """A module that is imported when something of it is asked for, not when tests are collected."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("__", "_mock", "pytestmark")):  # so pytest asks whether it is a test
            raise AttributeError(name)
        return getattr(import_module(self.__name__), name)
