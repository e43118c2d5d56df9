"""TOML that people read and edit: tomlkit's, with a comment beside each setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.items import AoT, Item, Table

MAX_ALIGNED_CHARS = 32
"""A longer setting has its comment right behind it, not aligned with the others'."""


def format_document(facts: Mapping[str, Any], notes: Mapping[str, str] | None = None) -> str:
    """A document: plain values first, then a section for each table and each list of tables.

    ``notes`` are comments on settings by their path; the first table of a list gets them.
    """
    document = tomlkit.document()
    for key, item in _make_items(facts, "", notes or {}).items():
        document.append(key, item)
    return tomlkit.dumps(document)


def append_tables(text: str, key: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """The text of a document with more tables at the end of one of its lists of tables; all else,
    comments too, stays as it is."""
    document = tomlkit.parse(text)
    if key not in document:
        document.append(key, AoT([]))
    tables: Any = document[key]
    for row in rows:
        inline = not isinstance(tables, AoT)
        table: Any = tomlkit.inline_table() if inline else tomlkit.table()
        table.update(row)
        tables.append(table)
    return tomlkit.dumps(document)


def _make_items(facts: Mapping[str, Any], path: str, notes: Mapping[str, str]) -> dict[str, Item]:
    """Sections last, because whatever follows one belongs to it; TOML has no null."""
    items = {
        key: _make_item(value, f"{path}{key}", notes)
        for key, value in facts.items()
        if value is not None
    }
    settings = {key: item for key, item in items.items() if not isinstance(item, Table | AoT)}
    _add_comments(settings, path, notes)
    return settings | items


def _make_item(value: Any, path: str, notes: Mapping[str, str]) -> Item:
    if isinstance(value, Mapping):
        return _make_table(value, path, notes)
    if isinstance(value, list | tuple) and value and isinstance(value[0], Mapping):
        first, *others = value
        tables = [_make_table(first, path, notes)]
        return AoT(tables + [_make_table(each, path, {}) for each in others])
    item: Item = tomlkit.item(value)
    return item


def _make_table(facts: Mapping[str, Any], path: str, notes: Mapping[str, str]) -> Table:
    table = tomlkit.table()
    for key, item in _make_items(facts, f"{path}.", notes).items():
        table.append(key, item)
    return table


def _add_comments(settings: Mapping[str, Item], path: str, notes: Mapping[str, str]) -> None:
    """The comments of one section are aligned."""
    lengths = {
        key: len(f"{key} = {item.as_string()}")
        for key, item in settings.items()
        if path + key in notes
    }
    width = min(max(lengths.values(), default=0), MAX_ALIGNED_CHARS)
    for key, length in lengths.items():
        settings[key].comment(notes[path + key])
        settings[key].trivia.comment_ws = " " * (max(width - length, 0) + 2)
