"""Where the command line writes: rich on a terminal, plain text anywhere else, JSON on request."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

PAGE = 100
"""Columns where there is no terminal to ask."""


def out() -> Console:
    """What a person asked for goes to stdout."""
    return _console(stderr=False)


def err() -> Console:
    """What passes by while it works (progress) goes to stderr."""
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    from rich.console import Console

    file = sys.stderr if stderr else sys.stdout
    width = None if file.isatty() or "COLUMNS" in os.environ else PAGE
    return Console(file=file, width=width, highlight=False, markup=False, emoji=False)


def print_json(value: Any) -> None:
    """One JSON object on stdout; what JSON cannot hold (infinity) becomes null."""
    json.dump(_finite(value), sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    if isinstance(value, float) and abs(value) == float("inf"):
        return None
    return value


def printable(text: str) -> str:
    """Text of strangers, with the characters that would steer the terminal made visible."""
    return "".join(c if c.isprintable() or c in "\n\t" else _visible(c) for c in text)


def _visible(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
