"""A place for what tests compile, so that no compiler runs twice for the same text."""

import os
import sys
from pathlib import Path

import pytest

BUILDS = Path(sys.prefix) / "test-builds"
"""Kept from run to run: its entries are named after all that goes into them."""


def keep_builds(patch: pytest.MonkeyPatch) -> None:
    """Let Ludus keep there what it compiles, if this user may write there."""
    if os.access(sys.prefix, os.W_OK):
        patch.setenv("LUDUS_CACHE", str(BUILDS))
