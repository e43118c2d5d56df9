"""The table of adapters: which format a game is spoken in."""

from __future__ import annotations

from collections.abc import Mapping

from ludus.compat.botzone.adapters.adapter import BotzoneAdapter
from ludus.compat.botzone.adapters.ataxx import ATAXX
from ludus.compat.botzone.adapters.generic import GenericAdapter
from ludus.compat.botzone.adapters.judged import JudgedGameAdapter
from ludus.compat.botzone.adapters.reversi import REVERSI
from ludus.compat.botzone.game import BotzoneGame
from ludus.games.base import Game

ADAPTERS: Mapping[str, BotzoneAdapter] = {
    "ataxx": ATAXX,
    "reversi": REVERSI,
}
"""The games of Ludus that Botzone has too, by name."""
GENERIC_ADAPTER = GenericAdapter()


def find_adapter(game: Game) -> BotzoneAdapter:
    """The adapter of a game: that of its judge, Botzone's own format, or the one of all games."""
    if isinstance(game, BotzoneGame):
        return JudgedGameAdapter(game)
    return ADAPTERS.get(game.name, GENERIC_ADAPTER)
