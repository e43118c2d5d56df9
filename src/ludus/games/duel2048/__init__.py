"""Duel 2048 (贰零肆捌): two players, a 4 × 8 board, one random sequence known to both."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from ludus.errors import LudusError
from ludus.games.base import DRAWN_FROM_SEED, Clock, Game, Options, option
from ludus.games.duel2048.board import Chessboard
from ludus.games.duel2048.rules import CELL_NAMES, DIRECTIONS, DuelPosition, draw
from ludus.games.duel2048.view import scene
from ludus.games.seat_names import FIRST, SECOND
from ludus.lang import Text


@dataclasses.dataclass(frozen=True)
class DuelOptions(Options):
    """The options of Duel 2048."""

    rounds: int = option(
        500,
        "rounds of a bout",
        "每局的总回合数",
        title=Text("Rounds", "回合数"),
        low=1,
        high=100_000,
    )
    array: tuple[int, ...] = option(
        (),
        "the random sequence, instead of one drawn from the seed",
        "指定随机序列，不由种子产生",
        title=Text("Random sequence", "随机序列"),
        value_names={"": DRAWN_FROM_SEED},
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.array and len(self.array) < self.rounds:
            raise LudusError(
                f"option array has {len(self.array)} numbers, {self.rounds} rounds need as many",
                f"选项 array 有 {len(self.array)} 个数，{self.rounds} 回合需要同样多",
            )


class Duel2048(Game):
    """The game Duel 2048."""

    name = "duel2048"
    version = 1
    title = Text("Duel 2048", "贰零肆捌")
    seats = (FIRST, SECOND)
    Options = DuelOptions
    clock = Clock(budget=5.0)
    reasons = {
        "level": Text(
            "more tiles of level {level} for {winner} ({first} to {second})",
            "{winner}的 {level} 级方块更多（{first} 比 {second}）",
        ),
        "tied": Text("equal tiles at every level", "各级方块数相同"),
    }
    dialects = {"Player": "ludus.games.duel2048.dialect:PlayerHost"}
    house = Path(__file__).parent / "bots"
    guide_folder = Path(__file__).parent / "guide"
    levels = {"random": "beginner", "greedy": "normal", "strong": "hard", "patterns": "master"}
    demo = {"rounds": 120}
    casual = {"rounds": 50}
    odd = ({"rounds": 1}, {"rounds": 40}, {})

    def start(self, options: Any, seed: int) -> DuelPosition:
        array = options.array or draw(seed, options.rounds)
        return DuelPosition(Chessboard(array), options.rounds)

    def list_actions(self, options: Any) -> tuple[str, ...]:
        """The cells row by row, then the directions."""
        return (*CELL_NAMES, *DIRECTIONS)

    def search_position(self, position: Any) -> Any:
        from ludus.games.duel2048.search_position import DuelSearchPosition

        return DuelSearchPosition(position)

    def scene(self, options: Any) -> dict[str, Any]:
        return scene(options.rounds)


GAME = Duel2048()
