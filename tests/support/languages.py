"""Which toolchains this machine has, for tests that need one."""

import pytest

from ludus.bots.languages.base import find_on_path
from ludus.bots.languages.registry import BY_NAME
from ludus.errors import LudusError


def need(name: str) -> None:
    """Skip the test where a language has no toolchain."""
    try:
        BY_NAME[name].toolchain()
    except LudusError as missing:
        pytest.skip(missing.text["en"])


EXTRA = ("java", "rust", "go")
"""Tried where they are; ``./test`` installs the others."""


def tried() -> list[str]:
    """The languages whose tests belong to this machine; no compiler is started to find out."""
    return [name for name in BY_NAME if name not in EXTRA or find_on_path(BY_NAME[name].tool)]
