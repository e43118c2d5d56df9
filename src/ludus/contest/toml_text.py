"""Writes the TOML that people are to read and edit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

PLAIN = re.compile(r"[A-Za-z0-9_-]+")


def written(tables: Mapping[str, Any]) -> str:
    """A document: plain values first, then a section for each table and each list of tables."""
    return "\n".join(_lines(tables, "")).strip() + "\n"


def _lines(table: Mapping[str, Any], path: str) -> Iterator[str]:
    for key, value in table.items():
        if value is not None and not _is_section(value):
            yield f"{_key(key)} = {_value(value)}"
    for key, value in table.items():
        inner = f"{path}.{_key(key)}" if path else _key(key)
        if isinstance(value, Mapping):
            yield from ("", f"[{inner}]")
            yield from _lines(value, inner)
        elif _is_section(value):
            for each in value:
                yield from ("", f"[[{inner}]]")
                yield from _lines(each, inner)


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
