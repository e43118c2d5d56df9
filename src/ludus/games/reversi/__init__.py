"""Reversi (黑白棋): enclose your rival's discs and they turn to yours; most discs win."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from ludus.errors import LudusError
from ludus.games.base import Clock, ExactSolver, Game, Options, option
from ludus.games.reversi.rules import CELLS, ReversiPosition, opening
from ludus.games.reversi.view import place, scene
from ludus.games.seat_names import BLACK, WHITE
from ludus.games.symmetry import ALL_OF_A_SQUARE
from ludus.games.vertices import VertexBoard
from ludus.lang import Text

OPENINGS = Path(__file__).parent / "openings.txt"
"""Made by tools/make_openings.py."""


@dataclasses.dataclass(frozen=True)
class ReversiOptions(Options):
    """The options of Reversi."""

    size: int = option(
        8,
        "rows and columns of the board; an even number",
        "棋盘的行数和列数，须为偶数",
        title=Text("Board size", "棋盘大小"),
        low=4,
        high=12,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size % 2:
            raise LudusError(
                f"option size must be even, got {self.size}",
                f"选项 size 必须是偶数，得到 {self.size}",
            )


class Reversi(Game):
    """The game Reversi."""

    name = "reversi"
    version = 1
    title = Text("Reversi", "黑白棋")
    seats = (BLACK, WHITE)
    Options = ReversiOptions
    clock = Clock(budget=30.0)
    reasons = {
        "discs": Text(
            "more discs for {winner} ({black} black, {white} white)",
            "{winner}的棋子更多（黑 {black}，白 {white}）",
        ),
        "tied": Text("{discs} discs each", "双方各 {discs} 子"),
    }
    symmetries = ALL_OF_A_SQUARE
    house = Path(__file__).parent / "bots"
    guide_folder = Path(__file__).parent / "guide"
    levels = {"random": "beginner", "greedy": "normal", "strong": "hard", "patterns": "master"}
    odd = ({"size": 4}, {"size": 6}, {}, {"size": 12})

    def start(self, options: Any, seed: int) -> ReversiPosition:
        return ReversiPosition(opening(options.size))

    def is_seeded(self, options: Any) -> bool:
        return False

    def openings_file(self, options: Any) -> Path | None:
        return OPENINGS if options == ReversiOptions() else None

    def list_actions(self, options: Any) -> tuple[str, ...]:
        """The cells row by row, as ``ReversiSearchPosition`` numbers them."""
        size = options.size
        return tuple(cell for cell in CELLS if max(place(cell)) < size)

    def scene(self, options: Any) -> dict[str, Any]:
        return scene(options.size)

    def vertex_board(self, options: Any) -> VertexBoard:
        return VertexBoard("Othello", options.size, numbered_from_top=True)

    def search_position(self, position: Any) -> Any:
        # Imported here: those who only play need not wait for them.
        from ludus.games.reversi.bitboard import ROWS

        if position.size > ROWS:
            from ludus.games.reversi.large_search_position import LargeReversiSearchPosition

            return LargeReversiSearchPosition(position)
        from ludus.games.reversi.search_position import ReversiSearchPosition

        return ReversiSearchPosition(position)

    def exact_solver(self, position: Any) -> ExactSolver | None:
        from ludus.games.reversi.bitboard import ROWS
        from ludus.games.reversi.endgame import EndgameSolver

        return EndgameSolver(position.size) if position.size <= ROWS else None


GAME = Reversi()
