"""Which games there are: those in this package, and those of installed packages."""

from __future__ import annotations

import difflib
import importlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.errors import LudusError
from ludus.games.base import Game

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "ludus.games"


def _built_in() -> list[str]:
    return sorted(path.parent.name for path in Path(__file__).parent.glob("*/__init__.py"))


def _installed() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # slow to import, seldom needed

    return {point.name: point for point in entry_points(group=GROUP)}


def names() -> list[str]:
    """The names of all games, in order."""
    return sorted({*_built_in(), *_installed()})


@cache
def get(name: str) -> Game:
    """The game of that name, or a LudusError that names the ones there are."""
    if name in _built_in():
        game: Game = importlib.import_module(f"ludus.games.{name}").GAME
    elif point := _installed().get(name):
        game = _load(point)
    else:
        raise _unknown(name)
    return game


def _load(point: EntryPoint) -> Game:
    try:
        game = point.load()
    except Exception as error:
        raise LudusError(
            f"the installed game {point.name!r} ({point.value}) cannot be loaded: {error!r}",
            f"已安装的游戏 {point.name!r}（{point.value}）无法载入：{error!r}",
        ) from error
    if not isinstance(game, Game):
        raise LudusError(
            f"the entry point {point.value} of game {point.name!r} is not a ludus Game",
            f"游戏 {point.name!r} 的入口 {point.value} 不是 ludus 的 Game",
        )
    return game


def _unknown(name: str) -> LudusError:
    known = names()
    near = difflib.get_close_matches(name, known, n=1)
    hint_en = f"; did you mean {near[0]!r}?" if near else f"; there are: {', '.join(known)}"
    hint_zh = f"；是不是 {near[0]!r}？" if near else f"；现有：{'、'.join(known)}"
    return LudusError(f"there is no game {name!r}{hint_en}", f"没有游戏 {name!r}{hint_zh}")
