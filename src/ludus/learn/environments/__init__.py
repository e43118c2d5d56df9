"""The rules of some games a second time, for thousands of bouts at once on an accelerator.

``make_environment(game, options)`` returns them; tests compare them with ``ludus.games``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ludus.games.base import Game
from ludus.learn.environments.environment import BoutArrays, Environment
from ludus.learn.settings import get_trainable_game

__all__ = ["BoutArrays", "Environment", "make_environment"]


@cache
def make_environment(game: Game, options: Any) -> Environment:
    """The environment of a game under these options, or a LudusError if there is none.

    The same options give the same object, so that functions compiled for it are reused.
    """
    get_trainable_game(game.name)
    if game.name == "tablut":
        from ludus.learn.environments.tablut import TablutEnvironment

        return TablutEnvironment(options)
    from ludus.learn.environments.reversi import ReversiEnvironment

    return ReversiEnvironment(options)
