"""The Tablut family in the board language: what a page or a terminal shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ludus.games.tablut.variants import TablutSettings, camp_cells

if TYPE_CHECKING:
    from ludus.games.tablut.rules import TablutPosition

TOKENS = {
    "a": {
        "owner": 1,
        "glyph": "●",
        "label": {"en": "attacker", "zh": "进攻方兵"},
        "role": "attacker",
    },
    "d": {
        "owner": 0,
        "glyph": "○",
        "label": {"en": "defender", "zh": "防守方兵"},
        "role": "defender",
    },
    "K": {"owner": 0, "glyph": "♔", "label": {"en": "king", "zh": "王"}, "role": "king"},
}


def scene(settings: TablutSettings) -> dict[str, Any]:
    """The board without its pieces."""
    size = settings.size
    pieces = {"key": "pieces", "name": {"en": "pieces", "zh": "棋子数"}, "per": "seat"}
    return {
        "rows": size,
        "columns": size,
        "layers": ["pieces"],
        "tokens": {"pieces": TOKENS},
        "zones": zones(settings),
        "counters": [
            {"key": "ply", "name": {"en": "moves made", "zh": "已走步数"}},
            {"key": "limit", "name": {"en": "limit of moves", "zh": "步数上限"}},
            pieces,
        ],
        "charts": [{"key": "pieces", "name": pieces["name"]}],
    }


def zones(settings: TablutSettings) -> list[dict[str, Any]]:
    """The throne, the camps, the corners where they are special, and the border where it wins."""
    size = settings.size
    far = size - 1
    corners = [0, far, size * far, size * size - 1]
    border = [c for c in range(size * size) if {c // size, c % size} & {0, far}]
    zone_list: list[dict[str, Any]] = [
        {"name": {"en": "throne", "zh": "王座"}, "owner": None, "cells": [size * size // 2]}
    ]
    camps = sorted(camp_cells(settings.variant))
    if settings.goal == "border":
        border = [cell for cell in border if cell not in camps]
        name = {"en": "border: the king wins here", "zh": "边线：王到此获胜"}
        zone_list.append({"name": name, "owner": 0, "cells": border})
    if camps:
        zone_list.append({"name": {"en": "camps", "zh": "营地"}, "owner": 1, "cells": camps})
    if settings.goal == "corners":
        name = {"en": "corners: the king wins here", "zh": "四角：王到此获胜"}
        zone_list.append({"name": name, "owner": 0, "cells": corners})
    elif "yes" in (settings.corners_closed, settings.corners_hostile):
        zone_list.append({"name": {"en": "corners", "zh": "四角"}, "owner": None, "cells": corners})
    return zone_list


def view(position: TablutPosition) -> dict[str, Any]:
    """The board now. Every seat sees everything."""
    board = position.board
    return {
        "layers": {"pieces": ["" if piece == "." else piece for piece in board.cells()]},
        "counters": {
            "ply": board.ply,
            "limit": position.settings.limit,
            "pieces": [board.pieces(0), board.pieces(1)],
        },
        "marks": {"last": list(position.last or ()), "captured": list(position.captured)},
        "phase": phase(position),
        "to_move": list(position.to_move),
        "gestures": gestures(position),
        "events": events(position),
    }


def phase(position: TablutPosition) -> dict[str, str]:
    if not position.to_move:
        return {"en": "over", "zh": "结束"}
    if position.to_move == (0,):
        return {"en": "defenders to move", "zh": "防守方走"}
    return {"en": "attackers to move", "zh": "进攻方走"}


def gestures(position: TablutPosition) -> dict[str, list[dict[str, Any]]]:
    """Every move is a drag of a piece to a cell."""
    if not position.to_move:
        return {}
    [seat] = position.to_move
    moves = zip(position.board.moves(), position.legal(seat), strict=True)
    return {str(seat): [drag(cells, position.size, text) for cells, text in moves]}


def drag(cells: tuple[int, int], size: int, text: str) -> dict[str, Any]:
    row, column = divmod(cells[0], size)
    to_row, to_column = divmod(cells[1], size)
    return {
        "kind": "drag",
        "row": row,
        "column": column,
        "to_row": to_row,
        "to_column": to_column,
        "move": text,
    }


def events(position: TablutPosition) -> list[dict[str, Any]]:
    """What the last move did, for animation."""
    if position.last is None:
        return []
    source, target = position.last
    slide = {"kind": "slide", "from": source, "to": target}
    return [slide, *({"kind": "capture", "to": cell} for cell in position.captured)]
