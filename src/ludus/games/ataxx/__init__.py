"""Ataxx (同化棋): pieces split or jump, and turn all rival pieces around them; most pieces win."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from ludus.games.ataxx.actions import list_moves
from ludus.games.ataxx.rules import USUAL_LIMIT, AtaxxPosition, opening
from ludus.games.ataxx.view import scene
from ludus.games.base import Clock, Game, Options, option
from ludus.games.seat_names import BLACK, WHITE
from ludus.games.symmetry import ALL_OF_A_SQUARE
from ludus.lang import Text

OPENINGS = Path(__file__).parent / "openings.txt"
"""Made by tools/make_openings.py."""


@dataclasses.dataclass(frozen=True)
class AtaxxOptions(Options):
    """The options of Ataxx."""

    size: int = option(
        7,
        "rows and columns of the board",
        "棋盘的行数和列数",
        title=Text("Board size", "棋盘大小"),
        low=4,
        high=8,
    )
    limit: int = option(
        USUAL_LIMIT,
        "moves after which the bout ends and pieces are counted",
        "走满多少步后终局数子",
        title=Text("Move limit", "步数上限"),
        low=1,
        high=1000,
    )


class Ataxx(Game):
    """The game Ataxx."""

    name = "ataxx"
    version = 1
    title = Text("Ataxx", "同化棋")
    seats = (BLACK, WHITE)
    Options = AtaxxOptions
    clock = Clock(budget=30.0)
    reasons = {
        "full": Text(
            "the board is full ({black} black, {white} white)",
            "棋盘已满（黑 {black}，白 {white}）",
        ),
        "stuck_black": Text(
            "black cannot move, the empty cells count as white's ({black} black, {white} white)",
            "黑方无子可动，空格归白方（黑 {black}，白 {white}）",
        ),
        "stuck_white": Text(
            "white cannot move, the empty cells count as black's ({black} black, {white} white)",
            "白方无子可动，空格归黑方（黑 {black}，白 {white}）",
        ),
        "no_pieces_black": Text("black has no pieces left", "黑方已无棋子"),
        "no_pieces_white": Text("white has no pieces left", "白方已无棋子"),
        "repeats_black": Text("black repeated earlier moves", "黑方重复了先前的局面"),
        "repeats_white": Text("white repeated earlier moves", "白方重复了先前的局面"),
        "limit": Text(
            "the limit of {limit} moves is reached ({black} black, {white} white)",
            "达到步数上限 {limit} 步（黑 {black}，白 {white}）",
        ),
    }
    symmetries = ALL_OF_A_SQUARE
    house = Path(__file__).parent / "bots"
    guide_folder = Path(__file__).parent / "guide"
    levels = {"random": "beginner", "greedy": "normal", "strong": "master"}
    odd = ({"size": 4}, {}, {"size": 5, "limit": 9}, {"size": 8})

    def start(self, options: Any, seed: int) -> AtaxxPosition:
        return AtaxxPosition(opening(options.size), 0, options.limit)

    def is_seeded(self, options: Any) -> bool:
        return False

    def openings_file(self, options: Any) -> Path | None:
        return OPENINGS if options == AtaxxOptions() else None

    def list_actions(self, options: Any) -> tuple[str, ...]:
        return list_moves(options.size)

    def scene(self, options: Any) -> dict[str, Any]:
        return scene(options.size)

    def search_position(self, position: Any) -> Any:
        from ludus.games.ataxx.search_position import AtaxxSearchPosition

        return AtaxxSearchPosition(position)

    def perft(self, position: Any, depth: int) -> int:
        return int(position.board.perft(depth))


GAME = Ataxx()
