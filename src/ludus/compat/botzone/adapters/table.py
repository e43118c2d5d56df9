"""The table of adapters."""

from __future__ import annotations

from collections.abc import Mapping

from ludus.compat.botzone.adapters.adapter import BotzoneAdapter
from ludus.compat.botzone.adapters.board_cells import CellGameAdapter
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.lang import Text

ADAPTERS: Mapping[str, BotzoneAdapter] = {
    "reversi": CellGameAdapter(Text("Reversi", "黑白棋"), 8, lambda options: int(options.size)),
}
"""The games of Ludus that Botzone has too, by name."""


def find_adapter(game: Game) -> BotzoneAdapter:
    """The adapter of a game; LudusError if bots of Botzone cannot play it."""
    if (adapter := ADAPTERS.get(game.name)) is None:
        known = ", ".join(ADAPTERS)
        raise LudusError(
            f"bots of Botzone cannot play {game.name}, only: {known}",
            f"Botzone 的 AI 不能玩 {game.name}，只能玩：{known}",
        )
    return adapter
