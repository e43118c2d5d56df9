"""The games that this server offers."""

from __future__ import annotations

import functools
import time
from pathlib import Path

from ludus.games.base import Game
from ludus.games.registry import get_listed, names, sample_names
from ludus.home import ludus_home
from ludus.server.web.errors import NotFound

GAMES_CACHE_S = 30.0
"""Seconds for which the list of games is cached."""


def get_playable_game(name: str) -> Game:
    """A game of this server by its name, which is never taken for a folder."""
    if name not in _list_games(ludus_home(), int(time.monotonic() // GAMES_CACHE_S)):
        raise NotFound(f"there is no game {name[:60]!r} here", f"这里没有游戏 {name[:60]!r}")
    return get_listed(name)


@functools.lru_cache(1)
def _list_games(home: Path, moment: int) -> frozenset[str]:
    """Cached because looking for games is slow and new ones are rare."""
    return frozenset((*names(), *sample_names()))
