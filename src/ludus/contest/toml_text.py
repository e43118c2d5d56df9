"""Writes the TOML that people are to read and edit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

WIDEST = 32
PLAIN = re.compile(r"[A-Za-z0-9_-]+")


def written(tables: Mapping[str, Any], notes: Mapping[str, str] | None = None) -> str:
    """A document: plain values first, then a section for each table and each list of tables.

    ``notes`` are comments on settings by their path; of a list of tables the first gets them.
    """
    return "\n".join(_lines(tables, "", notes or {})).strip() + "\n"


def _lines(table: Mapping[str, Any], path: str, notes: Mapping[str, str]) -> Iterator[str]:
    yield from _aligned(
        [
            (f"{_key(key)} = {_value(value)}", notes.get(_path(path, key), ""))
            for key, value in table.items()
            if value is not None and not _is_section(value)
        ]
    )
    for key, value in table.items():
        inner = _path(path, key)
        if isinstance(value, Mapping):
            if not value or not all(map(_is_section, value.values())):
                yield from ("", f"[{inner}]")
            yield from _lines(value, inner, notes)
        elif _is_section(value):
            for number, each in enumerate(value):
                yield from ("", f"[[{inner}]]")
                yield from _lines(each, inner, {} if number else notes)


def _path(path: str, key: str) -> str:
    return f"{path}.{_key(key)}" if path else _key(key)


def _aligned(lines: list[tuple[str, str]]) -> Iterator[str]:
    """Comments below each other, unless a line is long."""
    noted = [len(line) for line, note in lines if note]
    width = min(max(noted, default=0), WIDEST)
    for line, note in lines:
        yield f"{line.ljust(width)}  # {note}" if note else line


def _is_section(value: Any) -> bool:
    listed = isinstance(value, (list, tuple)) and bool(value)
    return isinstance(value, Mapping) or (listed and all(isinstance(v, Mapping) for v in value))


def _key(key: str) -> str:
    return key if PLAIN.fullmatch(key) else _text(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, float) and value.is_integer():
        return f"{value:.1f}"
    return str(value)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
