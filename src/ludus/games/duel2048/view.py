"""Duel 2048 in the board language: what a page or a terminal shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ludus.games.duel2048.board import merged_cells
from ludus.games.seat_names import FIRST, SECOND

if TYPE_CHECKING:
    from ludus.games.duel2048.rules import DuelPosition

MAX_SHOWN_LEVEL = 18
"""No level above it can be reached: a round adds at most 4, and a bout has 100,000 at most."""
SEATS = (FIRST, SECOND)
HELP = {
    "en": "In each round both first put a tile: on the one cell of their own half that is drawn for"
    " the round, or on any free cell of the other half. Then both slide all their tiles, and equal"
    " tiles merge.",
    "zh": "每回合双方先各放一个方块：己方领地只有本回合指定的那一格，对方领地可放任意空格；"
    "再各滑动一次全部方块，相同的合并。",
}
ARROWS = {"up": "↑", "down": "↓", "left": "←", "right": "→"}


def scene(rounds: int) -> dict[str, Any]:
    """The board without its tiles."""
    tokens = {
        f"{sign}{level}": {
            "owner": owner,
            "glyph": str(2**level),
            "label": {"en": f"tile {2**level}", "zh": f"方块 {2**level}"},
            "role": f"level{level}",
        }
        for owner, sign in enumerate("+-")
        for level in range(1, MAX_SHOWN_LEVEL + 1)
    }
    return {
        "rows": 4,
        "columns": 8,
        "layers": ["tiles"],
        "tokens": {"tiles": tokens},
        "zones": [
            {"name": {"en": "first's territory", "zh": "先手领地"}, "owner": 0, "cells": _half(0)},
            {"name": {"en": "second's territory", "zh": "后手领地"}, "owner": 1, "cells": _half(4)},
        ],
        "counters": [
            {"key": "round", "name": {"en": "round", "zh": "回合"}, "most": rounds},
            {"key": "sum", "name": {"en": "sum of tiles", "zh": "方块总和"}, "per": "seat"},
            {"key": "top", "name": {"en": "highest tile", "zh": "最大方块"}, "per": "seat"},
        ],
        "charts": [{"key": "sum", "name": {"en": "sum of tiles", "zh": "方块总和"}}],
        "help": HELP,
    }


def _half(column: int) -> list[int]:
    return [row * 8 + column + i for row in range(4) for i in range(4)]


def view(position: DuelPosition) -> dict[str, Any]:
    """The board now. Every seat sees everything."""
    tiles = [
        f"{'+' if mine else '-'}{level}" if level else ""
        for row in position.board.getRaw()
        for level, mine in row
    ]
    levels = [position.board.getScore(True), position.board.getScore(False)]
    return {
        "layers": {"tiles": tiles},
        "counters": {
            "round": min(position.phase // 4 + 1, position.rounds),
            "sum": [sum(2**level for level in side) for side in levels],
            "top": [2 ** max(side) if side else 0 for side in levels],
        },
        "marks": _marks(position),
        "phase": _phase(position),
        "to_move": list(position.to_move),
        "gestures": _gestures(position),
        "events": events(position),
    }


def _phase(position: DuelPosition) -> dict[str, str]:
    if not position.to_move:
        return {"en": "over", "zh": "结束"}
    en, zh = ("slide", "滑动") if position.merging else ("put a tile", "落子")
    for seat in _skipped_seats(position):
        can_en, can_zh = _missing(position, seat)
        en = f"{SEATS[seat]['en']} has {can_en}: skipped; {en}"
        zh = f"{SEATS[seat]['zh']}{can_zh}，跳过；{zh}"
    return {"en": en, "zh": zh}


def _skipped_seats(position: DuelPosition) -> list[int]:
    """Those that could not do just now what the two seats do in turn, the last one first."""
    if position.phase == 0:
        return []
    before = [1, 0] if position.phase % 2 == 0 else [0]
    return [seat for seat in before if position.board.getDecision(seat == 0) == ()]


def _missing(position: DuelPosition, seat: int) -> tuple[str, str]:
    """What a seat whose turn was skipped did not have."""
    putting = position.merging == (position.phase % 2 == 0)
    if putting:
        return "no free cell", "没有空格可落子"
    if not position.board.getScore(seat == 0):
        return "no tile to slide", "没有可滑动的方块"
    return "no tile that can slide", "没有能滑动的方块"


def _cell(move: str) -> int:
    row, column = move.split(",")
    return int(row) * 8 + int(column)


def _marks(position: DuelPosition) -> dict[str, list[int]]:
    if position.last is None:
        return {"last": []}
    if position.last in ARROWS:
        return {"last": sorted({8 * r + c for _, _, r, c in position.board.getAnime()})}
    return {"last": [_cell(position.last)]}


def _gestures(position: DuelPosition) -> dict[str, list[dict[str, Any]]]:
    if not position.to_move:
        return {}
    seat = position.to_move[0]
    moves = position.legal(seat)
    if position.merging:
        return {str(seat): [{"kind": "key", "key": move, "move": move} for move in moves]}
    cells = [divmod(_cell(move), 8) for move in moves]
    return {
        str(seat): [
            {"kind": "cell", "row": row, "column": column, "move": f"{row},{column}"}
            for row, column in cells
        ]
    }


def events(position: DuelPosition) -> list[dict[str, Any]]:
    """What the last move did, for animation."""
    if position.last is None:
        return []
    if position.last not in ARROWS:
        return [{"kind": "put", "to": _cell(position.last)}]
    slides = [
        {"kind": "slide", "from": 8 * r + c, "to": 8 * to_r + to_c}
        for r, c, to_r, to_c in position.board.getAnime()
    ]
    return slides + [{"kind": "merge", "to": cell} for cell in merged_cells(position.board)]
