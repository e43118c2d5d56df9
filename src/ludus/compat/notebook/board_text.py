"""A board as plain text, one line for each row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ludus.compat.board_cells import BoardCell, make_cells

OWNER_SIGNS = ("", "'", '"', "^")
"""Behind a piece whose glyph does not say whose it is."""


def draw_text(scene: Mapping[str, Any], view: Mapping[str, Any]) -> str:
    """The board as a grid of its pieces' glyphs; an empty cell is a dot."""
    cells = make_cells(scene, view)
    alike = _find_ambiguous_glyphs(scene)
    texts = [_cell_text(cell, alike) for cell in cells]
    width, columns = max(map(len, texts)), scene["columns"]
    rows = [texts[first : first + columns] for first in range(0, len(texts), columns)]
    return "\n".join(" ".join(text.rjust(width) for text in row).rstrip() for row in rows)


def _cell_text(cell: BoardCell, alike: set[str]) -> str:
    if cell.empty:
        return "."
    sign = OWNER_SIGNS[(cell.owner or 0) % len(OWNER_SIGNS)] if cell.glyph in alike else ""
    return cell.glyph + sign


def _find_ambiguous_glyphs(scene: Mapping[str, Any]) -> set[str]:
    """Glyphs that tokens of different owners share."""
    owners: dict[str, set[int | None]] = {}
    for tokens in scene["tokens"].values():
        for token, facts in tokens.items():
            glyph = str(facts.get("glyph", token))
            owners.setdefault(glyph, set()).add(facts.get("owner"))
    return {glyph for glyph, found in owners.items() if len(found) > 1}
