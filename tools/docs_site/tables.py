"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable


def format_table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table with an empty line before it; nothing without rows."""
    found = [_format_row(row) for row in rows]
    if not found:
        return ""
    return "\n" + "".join([_format_row(head), "|" + "---|" * len(head) + "\n", *found])


def _format_row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(_escape(cell) for cell in cells) + " |\n"


def _escape(cell: str) -> str:
    """A cell without what would end it, or begin a tag outside code."""
    parts = " ".join(cell.split()).replace("|", "\\|").split("`")
    parts[::2] = [
        part.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_") for part in parts[::2]
    ]
    return "`".join(parts)
