"""Paper.io in the board language: what a page or a terminal shows."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ludus.games.paperio.field import Field
    from ludus.games.paperio.rules import PaperPosition

OWNERS = ("", "1", "2")
ARROWS = ("→", "↓", "←", "↑")
NAMES = ({"en": "first", "zh": "先手"}, {"en": "second", "zh": "后手"})
AREA = {"en": "land", "zh": "领地"}
HELP = {
    "en": "L turns left, R turns right, S goes straight on. Off your own land you draw a band"
    " behind you; back on it, all that the band encloses is yours.",
    "zh": "L 左转，R 右转，S 直行。离开己方领地时身后留下纸带；回到领地，纸带围住的都归你。",
}
GESTURES = (
    ("left", "L", {"en": "turn left", "zh": "左转"}),
    ("up", "S", {"en": "straight on", "zh": "直行"}),
    ("right", "R", {"en": "turn right", "zh": "右转"}),
)


def scene(options: Any) -> dict[str, Any]:
    """The field without what lies on it."""
    return {
        "rows": options.h,
        "columns": 2 * options.k,
        "layers": ["land", "bands", "heads"],
        "tokens": {
            "land": _tokens("■", "land", "领地"),
            "bands": _tokens("·", "band", "纸带"),
            "heads": {
                f"{seat + 1}{arrow}": _token(seat, arrow, "head", "纸卷") | {"heading": heading}
                for seat in range(2)
                for heading, arrow in enumerate(ARROWS)
            },
        },
        "counters": [
            {"key": "turn", "name": {"en": "turn", "zh": "回合"}, "most": options.turns},
            {"key": "area", "name": AREA, "per": "seat"},
            {"key": "band", "name": {"en": "band", "zh": "纸带"}, "per": "seat"},
        ],
        "charts": [{"key": "area", "name": AREA}],
        "help": HELP,
    }


def _tokens(glyph: str, en: str, zh: str) -> dict[str, Any]:
    return {OWNERS[seat + 1]: _token(seat, glyph, en, zh) for seat in range(2)}


def _token(seat: int, glyph: str, en: str, zh: str) -> dict[str, Any]:
    owner = NAMES[seat]
    label = {"en": f"{owner['en']}'s {en}", "zh": f"{owner['zh']}的{zh}"}
    return {"owner": seat, "glyph": glyph, "label": label, "role": f"{en}{seat}"}


def view(position: PaperPosition) -> dict[str, Any]:
    """The field now. Every seat sees everything."""
    field = position.field
    return {
        "layers": {
            "land": _layer(field.land, field.height),
            "bands": _layer(field.bands, field.height),
            "heads": _heads(field),
        },
        **_facts(position),
        "gestures": _gestures(position),
    }


def _facts(position: PaperPosition) -> dict[str, Any]:
    """Everything of the view that does not grow with the field."""
    field = position.field
    return {
        "counters": {
            "turn": min(field.steps // 2 + 1, field.turns),
            "area": list(field.areas),
            "band": [len(trail) for trail in field.trails],
        },
        "marks": {"last": _last(field)},
        "phase": _phase(position),
        "to_move": list(position.to_move),
        "events": events(position),
    }


def changes(position: PaperPosition, before: PaperPosition) -> dict[str, Any]:
    """The view without gestures, its layers as the cells that differ from an earlier position."""
    field, old = position.field, before.field
    heads, old_heads = _shown_heads(field), _shown_heads(old)
    gone = [[cell, ""] for cell in old_heads if cell not in heads]
    return {
        "cells": {
            "land": _changed(old.land, field.land, field.height),
            "bands": _changed(old.bands, field.bands, field.height),
            "heads": [*gone, *([c, t] for c, t in heads.items() if old_heads.get(c) != t)],
        },
        **_facts(position),
    }


def _changed(old: bytearray, new: bytearray, height: int) -> list[list[Any]]:
    """``[cell, token]`` for each cell that differs; whole columns that are equal cost little."""
    if old == new:
        return []
    width = len(new) // height
    return [
        [y * width + x, OWNERS[owner]]
        for x, start in enumerate(range(0, len(new), height))
        if old[start : start + height] != new[start : start + height]
        for y, owner in enumerate(new[start : start + height])
        if old[start + y] != owner
    ]


def _layer(cells: bytearray, height: int) -> list[str]:
    """Column by column → row by row, as tokens."""
    rows = (cells[y::height] for y in range(height))
    return [OWNERS[owner] for owner in chain.from_iterable(rows)]


def _cell(field: Field, x: int, y: int) -> int | None:
    """The number of a cell row by row, None off the field."""
    inside = 0 <= x < field.width and 0 <= y < field.height
    return y * field.width + x if inside else None


def _heads(field: Field) -> list[str]:
    cells = [""] * (field.width * field.height)
    for cell, token in _shown_heads(field).items():
        cells[cell] = token
    return cells


def _shown_heads(field: Field) -> dict[int, str]:
    """Cell → head. When both are on one cell, the one who moved there is seen."""
    heads = {}
    for seat in (1, 0) if field.mover == 0 else (0, 1):
        x, y, heading = field.heads[seat]
        if (cell := _cell(field, x, y)) is not None:
            heads[cell] = f"{seat + 1}{ARROWS[heading]}"
    return heads


def _last(field: Field) -> list[int]:
    if field.mover < 0:
        return []
    x, y, _ = field.heads[field.mover]
    cell = _cell(field, x, y)
    return [] if cell is None else [cell]


def _phase(position: PaperPosition) -> dict[str, str]:
    if not position.to_move:
        return {"en": "over", "zh": "结束"}
    if position.field.trails[position.to_move[0]]:
        return {"en": "off its own land, drawing a band", "zh": "在领地外，拖着纸带"}
    return {"en": "on its own land", "zh": "在自己领地"}


def _gestures(position: PaperPosition) -> dict[str, list[dict[str, Any]]]:
    if not position.to_move:
        return {}
    keys = [{"kind": "key", "key": key, "move": move} for key, move, _ in GESTURES]
    buttons = [{"kind": "button", "label": label, "move": move} for _, move, label in GESTURES]
    return {str(position.to_move[0]): [*keys, *buttons]}


def events(position: PaperPosition) -> list[dict[str, Any]]:
    """What the last move did, for animation and the timeline."""
    field = position.field
    if field.mover < 0:
        return []
    events_shown: list[dict[str, Any]] = [{"kind": "step", "seat": field.mover, "to": _last(field)}]
    if field.before is not None:
        events_shown.append({"kind": "fill", "seat": field.mover, "cells": _gained(field)})
    if position.outcome is not None:
        kind = "cut" if position.outcome.reason == "band" else position.outcome.reason
        events_shown.append({"kind": kind, "seat": field.mover, "cells": _last(field)})
    return events_shown


def _gained(field: Field) -> list[int]:
    """The cells that became the mover's land by the last step."""
    before = field.before or field.land
    pairs = enumerate(zip(before, field.land, strict=True))
    cells = (divmod(cell, field.height) for cell, (old, new) in pairs if old != new)
    return sorted(y * field.width + x for x, y in cells)


def draw_field(field: Field) -> str:
    """The field as text: land 1 and 2, bands a and b, heads as arrows."""
    width, height = field.width, field.height
    land, bands = field.land, field.bands
    rows = [
        [".ab"[bands[c]] if bands[c] else ".12"[land[c]] for c in range(y, width * height, height)]
        for y in range(height)
    ]
    for x, y, heading in field.heads:
        if _cell(field, x, y) is not None:
            rows[y][x] = ">v<^"[heading]
    lines = ["".join(row) for row in rows]
    heads = " ".join(f"{x},{y}{'>v<^'[heading]}" for x, y, heading in field.heads)
    return "\n".join([*lines, f"step {field.steps} heads {heads} land {field.areas}"])
