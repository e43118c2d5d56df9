"""What stands on each cell of a board, from its scene and view (the board language).

Terminals, notebooks and pictures draw from this.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class BoardCell:
    """The content of one cell."""

    glyph: str
    owner: int | None
    level: int | None
    ground: int | None
    """The owner of the cell under the piece."""
    zone: int | None
    """The owner of the zone that it is in."""
    marked: bool
    role: str = ""
    """What its uppermost token is for the game, such as ``black`` or ``level3``."""
    layer: int = -1
    """The number of that token's layer, from the bottom; -1 if the cell is empty."""

    @property
    def empty(self) -> bool:
        return not self.glyph


def make_cells(scene: Mapping[str, Any], view: Mapping[str, Any]) -> list[BoardCell]:
    """Every cell of the board, row by row."""
    size = scene["rows"] * scene["columns"]
    marked = set(view.get("marks", {}).get("last", ()))
    zones = _zone_owners(scene, size)
    layers = [(name, view["layers"][name]) for name in scene["layers"] if name in view["layers"]]
    return [
        _make_cell(scene, layers, index, zones[index], index in marked) for index in range(size)
    ]


def _zone_owners(scene: Mapping[str, Any], size: int) -> list[int | None]:
    owners: list[int | None] = [None] * size
    for zone in scene.get("zones", ()):
        for index in zone["cells"]:
            owners[index] = zone.get("owner")
    return owners


def _make_cell(
    scene: Mapping[str, Any],
    layers: Sequence[tuple[str, Sequence[str]]],
    index: int,
    zone: int | None,
    marked: bool,
) -> BoardCell:
    glyph, owner, level, ground, role, top = "", None, None, zone, "", -1
    for number, (name, tokens) in enumerate(layers):
        if not (token := tokens[index]):
            continue
        if owner is not None:
            ground = owner  # the ground under a piece is the layer below
        known = scene["tokens"].get(name, {}).get(token, {})
        glyph = str(known.get("glyph", token))
        owner, role, top = known.get("owner"), str(known.get("role", "")), number
        digits = re.search(r"(\d+)$", role)
        level = int(digits[1]) if digits else None
    return BoardCell(glyph, owner, level, ground, zone, marked, role, top)
