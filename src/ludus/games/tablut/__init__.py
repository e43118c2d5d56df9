"""Tablut (板棋) and its family: a king and his pawns break out of a ring of attackers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ludus.games.base import Clock, Game
from ludus.games.symmetry import ALL_OF_A_SQUARE
from ludus.games.tablut.notation import line_moves
from ludus.games.tablut.rules import TablutPosition, perft, start
from ludus.games.tablut.variants import (
    LAYOUTS,
    TablutOptions,
    describe_differences,
    resolve_settings,
    variant_rules,
)
from ludus.games.tablut.view import scene
from ludus.games.vertices import VertexBoard
from ludus.lang import Text

OPENINGS = Path(__file__).parent / "openings.txt"
"""Made by tools/make_openings.py, for the usual rules."""


class Tablut(Game):
    """The game Tablut and its variants."""

    name = "tablut"
    version = 1
    title = Text("Tablut", "塔布鲁特棋")
    seats = (Text("defenders", "防守方"), Text("attackers", "进攻方"))
    Options = TablutOptions
    implied = {"variant": {variant: variant_rules(variant) for variant in LAYOUTS}}
    clock = Clock(budget=60.0)
    reasons = {
        "king_border": Text(
            "the king reached the border at {cell}",
            "王到达边线 {cell}",
        ),
        "king_corner": Text(
            "the king reached the corner {cell}",
            "王到达角格 {cell}",
        ),
        "king_captured": Text("the king is captured", "王被吃"),
        "no_moves_defenders": Text("the defenders cannot move", "防守方无子可动"),
        "no_moves_attackers": Text("the attackers cannot move", "进攻方无子可动"),
        "limit": Text(
            "the limit of {plies} moves is reached",
            "达到步数上限 {plies} 步",
        ),
        "repetition": Text(
            "a position came up {times} times",
            "同一局面出现 {times} 次",
        ),
    }
    symmetries = ALL_OF_A_SQUARE
    house = Path(__file__).parent / "bots"
    guide_folder = Path(__file__).parent / "guide"
    levels = {"random": "beginner", "greedy": "normal", "alphabeta": "hard", "learned": "master"}
    odd = (
        {"limit": 2},
        {},
        {"variant": "brandubh"},
        {"variant": "ardri", "first": "attackers", "opening": 4, "repetition": "draw"},
        {"variant": "tawlbwrdd", "king_capture": "throne"},
        {"variant": "hnefatafl", "king_capture": "four", "corners_hostile": "yes"},
        {"variant": "alea", "limit": 8},
        {"variant": "ashton"},
    )

    def start(self, options: Any, seed: int) -> TablutPosition:
        return start(options, seed)

    def is_seeded(self, options: Any) -> bool:
        return bool(options.opening > 0)

    def openings_file(self, options: Any) -> Path | None:
        return OPENINGS if options == TablutOptions() else None

    def rules_text(self, options: Any, language: str = "en") -> str:
        rules = super().rules_text(options, language)
        return "\n".join(filter(None, [rules, describe_differences(options, language)]))

    def list_actions(self, options: Any) -> tuple[str, ...]:
        return line_moves(resolve_settings(options).size)

    def scene(self, options: Any) -> dict[str, Any]:
        return scene(resolve_settings(options))

    def vertex_board(self, options: Any) -> VertexBoard:
        return VertexBoard("Tablut", resolve_settings(options).size, ("white", "black"))

    def search_position(self, position: Any) -> Any:
        from ludus.games.tablut.search_position import TablutSearchPosition

        return TablutSearchPosition(position)

    def perft(self, position: Any, depth: int) -> int:
        return perft(position, depth)


GAME = Tablut()
