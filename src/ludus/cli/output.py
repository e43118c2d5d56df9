"""Output of the command line: rich on a terminal, plain text elsewhere, JSON on request."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ludus.escape import escape_unsafe, escape_unsafe_json

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["escape_unsafe"]
DEFAULT_WIDTH = 100
"""Columns if the output is not a terminal."""


def stdout_console() -> Console:
    """The console for results."""
    return _make_console(stderr=False)


def stderr_console() -> Console:
    """The console for progress and warnings."""
    return _make_console(stderr=True)


def _make_console(*, stderr: bool) -> Console:
    from ludus.cli.terminal import SafeConsole

    file = sys.stderr if stderr else sys.stdout
    width = None if file.isatty() or "COLUMNS" in os.environ else DEFAULT_WIDTH
    return SafeConsole(file=getattr(file, "unescaped", file), width=width)


def print_json(value: Any) -> None:
    """Print one JSON object to stdout; infinity, which JSON does not have, becomes null."""
    text = json.dumps(_replace_infinities(value), ensure_ascii=False, indent=2)
    sys.stdout.write(f"{escape_unsafe_json(text)}\n")


def _replace_infinities(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _replace_infinities(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_replace_infinities(inner) for inner in value]
    if isinstance(value, float) and abs(value) == float("inf"):
        return None
    return value
