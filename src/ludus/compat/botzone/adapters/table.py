"""The table of adapters."""

from __future__ import annotations

from collections.abc import Mapping

from ludus.compat.botzone.adapters.adapter import BotzoneAdapter
from ludus.compat.botzone.adapters.ataxx import ATAXX
from ludus.compat.botzone.adapters.reversi import REVERSI
from ludus.errors import LudusError
from ludus.games.base import Game

ADAPTERS: Mapping[str, BotzoneAdapter] = {
    "ataxx": ATAXX,
    "reversi": REVERSI,
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
