"""Writes the TOML that people are to read and edit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

MAX_ALIGNED_CHARS = 32
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def format_document(tables: Mapping[str, Any], notes: Mapping[str, str] | None = None) -> str:
    """A document: plain values first, then a section for each table and each list of tables.

    ``notes`` are comments on settings by their path; of a list of tables the first gets them.
    """
    return "\n".join(_format_table(tables, "", notes or {})).strip() + "\n"


def _format_table(table: Mapping[str, Any], path: str, notes: Mapping[str, str]) -> Iterator[str]:
    yield from _align_comments(
        [
            (f"{_format_key(key)} = {_format_value(value)}", notes.get(_join_path(path, key), ""))
            for key, value in table.items()
            if value is not None and not _is_section(value)
        ]
    )
    for key, value in table.items():
        inner = _join_path(path, key)
        if isinstance(value, Mapping):
            if not value or not all(map(_is_section, value.values())):
                yield from ("", f"[{inner}]")
            yield from _format_table(value, inner, notes)
        elif _is_section(value):
            for number, each in enumerate(value):
                yield from ("", f"[[{inner}]]")
                yield from _format_table(each, inner, {} if number else notes)


def _join_path(path: str, key: str) -> str:
    return f"{path}.{_format_key(key)}" if path else _format_key(key)


def _align_comments(lines: list[tuple[str, str]]) -> Iterator[str]:
    """Comments below each other, unless a line is long."""
    noted = [len(line) for line, note in lines if note]
    width = min(max(noted, default=0), MAX_ALIGNED_CHARS)
    for line, note in lines:
        yield f"{line.ljust(width)}  # {note}" if note else line


def _is_section(value: Any) -> bool:
    listed = isinstance(value, (list, tuple)) and bool(value)
    return isinstance(value, Mapping) or (listed and all(isinstance(v, Mapping) for v in value))


def _format_key(key: str) -> str:
    return key if BARE_KEY.fullmatch(key) else _format_string(key)


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _format_string(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_format_value, value))}]"
    if isinstance(value, float) and value.is_integer():
        return f"{value:.1f}"
    return str(value)


def _format_string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
