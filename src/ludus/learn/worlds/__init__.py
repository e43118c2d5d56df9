"""The rules of some games a second time, for thousands of bouts at once on an accelerator.

``world(game, options)`` gives them; tests hold them to the rules in ``ludus.games``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.learn.worlds.world import Bouts, World

__all__ = ["Bouts", "World", "world"]


@cache
def world(game: Game, options: Any) -> World:
    """The world of a game under these options, or a LudusError if there is none.

    The same world for the same options, so that what was compiled for it serves again.
    """
    if game.name == "tablut":
        from ludus.learn.worlds.tablut import TablutWorld

        return TablutWorld(options)
    if game.name == "reversi":
        from ludus.learn.worlds.reversi import ReversiWorld

        return ReversiWorld(options)
    raise LudusError(
        f"{game.name} cannot be trained yet; tablut and reversi can",
        f"{game.name} 还不能训练；目前可以训练 tablut 和 reversi",
    )
