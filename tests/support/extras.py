"""Tests of what an extra brings."""

from importlib.util import find_spec

import pytest


def need_extra(extra: str, *packages: str) -> None:
    """Skip a whole module where an extra is missing.

    Nothing is imported: every worker collects every module, and few of them run it.
    """
    if not all(map(find_spec, packages)):
        pytest.skip(f"the extra `{extra}` is not installed", allow_module_level=True)
