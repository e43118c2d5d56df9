"""Which toolchains this machine has, for tests that need one."""

import pytest

from ludus.bots.languages import BY_NAME
from ludus.errors import LudusError


def need(name: str) -> None:
    """Skip the test where a language has no toolchain."""
    try:
        BY_NAME[name].toolchain()
    except LudusError as missing:
        pytest.skip(missing.text["en"])
