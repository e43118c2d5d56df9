"""Eraser in the board language: what a page or a terminal shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ludus.games.eraser.board import COLUMNS, LETTERS, ROWS, SHOWN, SWAPS, Board, name_of

if TYPE_CHECKING:
    from ludus.games.eraser.rules import EraserPosition

COLOURS = {
    "R": ("red", "红"),
    "B": ("blue", "蓝"),
    "G": ("green", "绿"),
    "Y": ("yellow", "黄"),
    "P": ("purple", "紫"),
    "?": ("unknown", "未知"),
}
PREVIEW = SHOWN - 6
"""Rows of the reserve that are shown above the main board."""
SCORE = {"en": "score", "zh": "得分"}
HELP = {
    "en": "The two dimmed rows fall down next, when pieces below them are erased. The number above"
    " a column is how many more pieces it has in reserve.",
    "zh": "上方变暗的两行是储备，下面的棋子消除后就会落下。每列顶部的数字是该列剩余的储备棋子数。",
}
DIFFERENCE = {"en": "first's lead", "zh": "分差（先手减后手）"}


def scene(turns: int) -> dict[str, Any]:
    """The board without its pieces."""
    tokens = {
        letter: {
            "owner": None,
            "glyph": letter,
            "label": {"en": f"{en} piece", "zh": f"{zh}色棋子"},
            "role": en,
        }
        for letter, (en, zh) in COLOURS.items()
    }
    cells = range(SHOWN * COLUMNS)
    border = PREVIEW * COLUMNS
    return {
        "rows": SHOWN,
        "columns": COLUMNS,
        "layers": ["pieces"],
        "tokens": {"pieces": tokens},
        "zones": [
            {
                "name": {"en": "reserve", "zh": "储备棋盘"},
                "cells": [c for c in cells if c < border],
            },
            {
                "name": {"en": "main board", "zh": "主棋盘"},
                "cells": [c for c in cells if c >= border],
            },
        ],
        "counters": [
            {"key": "turn", "name": {"en": "turn", "zh": "回合"}, "most": turns},
            {"key": "score", "name": SCORE, "per": "seat"},
            {"key": "difference", "name": DIFFERENCE},
            {
                "key": "combo",
                "name": {"en": "erased by the last turn", "zh": "当前连消"},
                "per": "seat",
            },
            {
                "key": "best",
                "name": {"en": "erased by the best turn", "zh": "最高连消"},
                "per": "seat",
            },
        ],
        "bars": [
            {
                "key": f"reserve{x}",
                "name": {"en": f"reserve of column {x}", "zh": f"第 {x} 列储备"},
                "column": x,
                "most": ROWS - SHOWN,
            }
            for x in range(COLUMNS)
        ],
        "charts": [{"key": "score", "name": SCORE}, {"key": "difference", "name": DIFFERENCE}],
        "help": HELP,
    }


def place(x: int, y: int) -> int:
    """The scene's cell of a column and a row; the scene counts from the top."""
    return (SHOWN - 1 - y) * COLUMNS + x


def cell_place(cell: int) -> int:
    """The scene's cell of a cell of the main board."""
    return place(cell // 6, cell % 6)


def view(position: EraserPosition) -> dict[str, Any]:
    """The board now, as far as it fits on a screen. Every seat sees everything."""
    board, points = position.board, position.points
    columns = [board.column(x, SHOWN) for x in range(COLUMNS)]
    pieces = [columns[x][y] for y in reversed(range(SHOWN)) for x in range(COLUMNS)]
    return {
        "layers": {"pieces": ["" if piece == LETTERS[0] else piece for piece in pieces]},
        "counters": {
            "turn": min(position.turn + 1, position.limit),
            "score": list(points),
            "difference": points[0] - points[1],
            "combo": list(position.combos),
            "best": list(position.best_combos),
        },
        "bars": {f"reserve{x}": left for x, left in enumerate(reserve(board))},
        "marks": {"last": [cell_place(cell) for cell in last_cells(position)]},
        "phase": _phase(position),
        "to_move": list(position.to_move),
        "gestures": _gestures(position),
        "events": events(position),
    }


def reserve(board: Board) -> list[int]:
    """How many pieces wait above the rows that are shown, column by column."""
    heights = [len(board.column(x).rstrip(LETTERS[0])) for x in range(COLUMNS)]
    return [max(height - SHOWN, 0) for height in heights]


def last_cells(position: EraserPosition) -> list[int]:
    """The two cells that were swapped last."""
    if position.last is None:
        return []
    x1, y1, x2, y2 = map(int, position.last)
    return [6 * x1 + y1, 6 * x2 + y2]


def _phase(position: EraserPosition) -> dict[str, str]:
    if not position.to_move:
        return {"en": "over", "zh": "结束"}
    if position.board.holed():
        return {"en": "the last turn: the pieces ran out", "zh": "棋子已用尽：最后一回合"}
    return {"en": "swap two neighbours", "zh": "交换相邻两子"}


def _gestures(position: EraserPosition) -> dict[str, list[dict[str, Any]]]:
    if not position.to_move:
        return {}
    drags = []
    for one, other in SWAPS:
        for start, end in ((one, other), (other, one)):
            row, column = divmod(cell_place(start), COLUMNS)
            to_row, to_column = divmod(cell_place(end), COLUMNS)
            drag = {"kind": "drag", "row": row, "column": column}
            drag |= {"to_row": to_row, "to_column": to_column, "move": name_of(one, other)}
            drags.append(drag)
    return {str(position.to_move[0]): drags}


def events(position: EraserPosition) -> list[dict[str, Any]]:
    """What the last move did, in order, for animation."""
    if position.last is None:
        return []
    one, other = last_cells(position)
    events_shown: list[dict[str, Any]] = [
        {"kind": "swap", "from": cell_place(one), "to": cell_place(other)}
    ]
    board = position.before.copy()
    board.swap(one, other)
    while points := board.erase():
        cells = [cell for cell in range(36) if board.burst >> cell & 1]
        events_shown.append(
            {"kind": "erase", "cells": [cell_place(cell) for cell in cells], "points": points}
        )
        events_shown += _falls(board)
    return events_shown


def _falls(board: Board) -> list[dict[str, Any]]:
    """Where the shown pieces went; one that comes from above has no ``from``."""
    falls: list[dict[str, Any]] = []
    for x in range(COLUMNS):
        stay = [y for y in range(SHOWN) if y >= 6 or not board.burst >> (6 * x + y) & 1]
        for y, piece in enumerate(board.column(x, SHOWN)):
            if piece == LETTERS[0]:
                break
            if y >= len(stay):
                falls.append({"kind": "fall", "to": place(x, y)})
            elif stay[y] != y:
                falls.append({"kind": "fall", "from": place(x, stay[y]), "to": place(x, y)})
    return falls
