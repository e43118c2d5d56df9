"""The rules of some games a second time, for thousands of bouts at once on an accelerator.

``make_environment(game, options)`` returns them; tests compare them with ``ludus.games``.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from ludus.games.base import Game
from ludus.learn.environments.environment import BoutArrays, Environment
from ludus.learn.trainable_games import ENVIRONMENT_CLASSES, check_trainable

__all__ = ["BoutArrays", "Environment", "make_environment"]


@cache
def make_environment(game: Game, options: Any) -> Environment:
    """The environment of a game under these options, or a LudusError if there is none.

    The same options give the same object, so that functions compiled for it are reused.
    """
    check_trainable(game)
    module, _, name = ENVIRONMENT_CLASSES[game.name].partition(":")
    made: Environment = getattr(importlib.import_module(module), name)(options)
    return made
