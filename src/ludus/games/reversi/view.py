"""Reversi in the board language: what a page or a terminal shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ludus.games.reversi.rules import ReversiPosition

NAMES = ({"en": "black", "zh": "黑方"}, {"en": "white", "zh": "白方"})
DISCS = ("x", "o")
"""The token of each seat."""


def scene(size: int) -> dict[str, Any]:
    """The board without its discs."""
    tokens = {
        "x": {
            "owner": 0,
            "glyph": "●",
            "label": {"en": "black disc", "zh": "黑子"},
            "role": "black",
        },
        "o": {
            "owner": 1,
            "glyph": "○",
            "label": {"en": "white disc", "zh": "白子"},
            "role": "white",
        },
    }
    discs = {"key": "discs", "name": {"en": "discs", "zh": "棋子"}, "per": "seat"}
    return {
        "rows": size,
        "columns": size,
        "layers": ["discs"],
        "tokens": {"discs": tokens},
        "counters": [discs, {"key": "empty", "name": {"en": "empty cells", "zh": "空格"}}],
        "charts": [discs],
    }


def view(position: ReversiPosition) -> dict[str, Any]:
    """The board now. Every seat sees everything."""
    size = position.size
    board = [""] * (size * size)
    for seat, token in enumerate(DISCS):
        for name in position.discs(seat):
            board[index(name, size)] = token
    last = [index(position.last, size)] if position.last else []
    turned = [index(name, size) for name in position.turned]
    puts = [{"kind": "put", "to": cell} for cell in last]
    return {
        "layers": {"discs": board},
        "counters": {"discs": [board.count(token) for token in DISCS], "empty": board.count("")},
        "marks": {"last": last, "turned": turned},
        "phase": phase(position),
        "to_move": list(position.to_move),
        "gestures": {str(seat): clicks(position, seat) for seat in position.to_move},
        "events": puts + [{"kind": "flip", "to": cell} for cell in turned],
    }


def index(name: str, size: int) -> int:
    """The number of the cell that people call ``d3``, counted row by row from 0."""
    row, column = place(name)
    return row * size + column


def place(name: str) -> tuple[int, int]:
    """The row and the column of a cell, from 0."""
    return int(name[1:]) - 1, ord(name[0]) - ord("a")


def clicks(position: ReversiPosition, seat: int) -> list[dict[str, Any]]:
    """What a click on a cell means."""
    places = [(*place(move), move) for move in position.legal(seat)]
    return [{"kind": "cell", "row": r, "column": c, "move": move} for r, c, move in places]


def phase(position: ReversiPosition) -> dict[str, str]:
    if not position.to_move:
        return {"en": "over", "zh": "结束"}
    seat = position.seat
    mover, rival = NAMES[seat], NAMES[1 - seat]
    if position.last in position.discs(seat):  # it moved last: the rival was skipped
        return {
            "en": f"{rival['en']} cannot move, {mover['en']} moves again",
            "zh": f"{rival['zh']}无处可下，{mover['zh']}继续",
        }
    return {"en": f"{mover['en']} to move", "zh": f"{mover['zh']}走"}
