"""Registers the games with Gymnasium, for ``gymnasium.make("ludus/Reversi-v0", opponent=…)``."""

from __future__ import annotations

import gymnasium

from ludus.games import registry

ENTRY_POINT = "ludus.compat.gym.single:single_env"


def register_environments() -> None:
    """Register every game of this machine that is not registered yet."""
    for name in registry.names():
        id = environment_id(name)
        if id not in gymnasium.registry:
            gymnasium.register(id, entry_point=ENTRY_POINT, kwargs={"game": name})


def environment_id(game: str) -> str:
    """What Gymnasium calls a game: ``ludus/Reversi-v0``."""
    return f"ludus/{game[:1].upper()}{game[1:]}-v0"
