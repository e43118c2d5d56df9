"""Ataxx in the board language: what a page or a terminal shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ludus.games.ataxx.rules import AtaxxPosition

TOKENS = {
    "x": {
        "owner": 0,
        "glyph": "●",
        "label": {"en": "black piece", "zh": "黑子"},
        "role": "black",
    },
    "o": {
        "owner": 1,
        "glyph": "○",
        "label": {"en": "white piece", "zh": "白子"},
        "role": "white",
    },
}
PHASES = ({"en": "black to move", "zh": "黑方走"}, {"en": "white to move", "zh": "白方走"})


def scene(size: int) -> dict[str, Any]:
    """The board without its pieces."""
    pieces = {"key": "pieces", "name": {"en": "pieces", "zh": "棋子数"}, "per": "seat"}
    return {
        "rows": size,
        "columns": size,
        "layers": ["pieces"],
        "tokens": {"pieces": TOKENS},
        "counters": [
            pieces,
            {"key": "empty", "name": {"en": "empty cells", "zh": "空格"}},
            {"key": "ply", "name": {"en": "moves made", "zh": "已走步数"}},
            {"key": "limit", "name": {"en": "limit of moves", "zh": "步数上限"}},
        ],
        "charts": [pieces],
    }


def view(position: AtaxxPosition) -> dict[str, Any]:
    """The board now. Every seat sees everything."""
    size = position.size
    board = str(position).replace(".", "").split("\n")
    cells = [token for row in board for token in row.split(" ")]
    last = [index(name, size) for name in split_move(position.last)]
    turned = [index(name, size) for name in position.turned]
    return {
        "layers": {"pieces": cells},
        "counters": {
            "pieces": [cells.count("x"), cells.count("o")],
            "empty": cells.count(""),
            "ply": position.ply,
            "limit": position.board.limit,
        },
        "marks": {"last": last, "turned": turned},
        "phase": PHASES[position.seat] if position.to_move else {"en": "over", "zh": "结束"},
        "to_move": list(position.to_move),
        "gestures": {str(seat): gestures(position, seat) for seat in position.to_move},
        "events": events(last, turned),
    }


def split_move(move: str) -> list[str]:
    """The names of the cells of a move."""
    return [name for name in (move[:2], move[2:]) if name]


def index(name: str, size: int) -> int:
    """The number of the cell that people call ``d3``, counted row by row from 0."""
    row, column = place(name)
    return row * size + column


def place(name: str) -> tuple[int, int]:
    """The row and the column of a cell, from 0."""
    return int(name[1:]) - 1, ord(name[0]) - ord("a")


def gestures(position: AtaxxPosition, seat: int) -> list[dict[str, Any]]:
    """A click on a cell adds a piece there, and a drag of a piece makes it jump.

    Dragging a piece to a cell beside it adds a piece, too.
    """
    own = [place(name) for name in position.pieces(seat)]
    found: list[dict[str, Any]] = []
    for move in position.legal(seat):
        places = [place(name) for name in split_move(move)]
        if len(places) == 2:
            found.append(drag(places[0], places[1], move))
            continue
        [(row, column)] = places
        found.append({"kind": "cell", "row": row, "column": column, "move": move})
        beside = [each for each in own if max(abs(each[0] - row), abs(each[1] - column)) == 1]
        found.extend(drag(each, (row, column), move) for each in beside)
    return found


def drag(source: tuple[int, int], target: tuple[int, int], move: str) -> dict[str, Any]:
    (row, column), (to_row, to_column) = source, target
    return {
        "kind": "drag",
        "row": row,
        "column": column,
        "to_row": to_row,
        "to_column": to_column,
        "move": move,
    }


def events(last: list[int], turned: list[int]) -> list[dict[str, Any]]:
    """What the last move did, for animation."""
    if not last:
        return []
    put = {"kind": "put", "to": last[-1]}
    slide = {"kind": "slide", "from": last[0], "to": last[-1]}
    flips = [{"kind": "flip", "to": cell} for cell in turned]
    return [slide if len(last) == 2 else put, *flips]
