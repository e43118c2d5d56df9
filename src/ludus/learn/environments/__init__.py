"""The rules of some games a second time, for thousands of bouts at once on an accelerator.

``world(game, options)`` gives them; tests hold them to the rules in ``ludus.games``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ludus.games.base import Game
from ludus.learn.environments.environment import Bouts, World
from ludus.learn.settings import trainable

__all__ = ["Bouts", "World", "world"]


@cache
def world(game: Game, options: Any) -> World:
    """The world of a game under these options, or a LudusError if there is none.

    The same world for the same options, so that what was compiled for it serves again.
    """
    trainable(game.name)
    if game.name == "tablut":
        from ludus.learn.environments.tablut import TablutWorld

        return TablutWorld(options)
    from ludus.learn.environments.reversi import ReversiWorld

    return ReversiWorld(options)
