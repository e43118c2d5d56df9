"""Which games there are: those in this package, those of installed packages, those in folders.

A folder holds a game if a file in it is one that somebody knows how to open: packages name such
files, and the function that opens the folder, as entry points of ``ludus.game_folders``. Folders
are found by their path, or by the game's name in ``$LUDUS_GAMES``, ``$LUDUS_HOME/games`` and the
folders of samples that packages name as entry points of ``ludus.samples``.
"""

from __future__ import annotations

import difflib
import importlib
import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.home import home

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "ludus.games"
FOLDERS = "ludus.game_folders"
SAMPLES = "ludus.samples"

_opened: dict[str, Path] = {}
"""Folders that were opened by their path: from then on their games' names are known too."""


def _built_in() -> list[str]:
    return sorted(path.parent.name for path in Path(__file__).parent.glob("*/__init__.py"))


def _installed() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # slow to import, seldom needed

    return {point.name: point for point in entry_points(group=GROUP)}


def names() -> list[str]:
    """The names of all games, in order, but for those that are only samples."""
    return sorted({*_built_in(), *_installed(), *_in_folders()})


def samples() -> list[str]:
    """Games that show how one is made: found by their names like all others, in order."""
    return sorted(set(_samples()) - set(names()))


def get(name: str) -> Game:
    """The game of that name, or a LudusError that names the ones there are.

    ``uno:4`` is the game ``uno`` for four; ``./uno`` is the game in that folder.
    """
    base, colon, count = name.rpartition(":")
    if colon and count.isdecimal() and not Path(name).exists():
        return get(base).for_players(int(count))
    return _known(name) or _from_folder(name) or _unknown(name)


def is_installed(name: str) -> bool:
    """Whether the game comes with Ludus or with an installed package, not in somebody's folder."""
    base, colon, count = name.rpartition(":")
    return _known(base if colon and count.isdecimal() else name) is not None


@cache
def _known(name: str) -> Game | None:
    if name in _built_in():
        game: Game = importlib.import_module(f"ludus.games.{name}").GAME
        return game
    if point := _installed().get(name):
        return _load(point)
    return None


def _from_folder(name: str) -> Game | None:
    if os.sep in name:
        folder: Path | None = Path(name)
    else:
        folder = _opened.get(name) or _in_folders().get(name) or _samples().get(name)
    if folder is None:
        return None
    for file, opener in _openers().items():
        if (folder / file).is_file():
            game = opener(folder)
            _opened[game.name] = folder.resolve()
            return game
    return None


@cache
def _openers() -> dict[str, Callable[[Path], Game]]:
    from importlib.metadata import entry_points

    return {point.name: point.load() for point in entry_points(group=FOLDERS)}


def _in_folders() -> dict[str, Path]:
    """Games in the folders of games, by the names of their own folders."""
    return {path.name: path for shelf in _shelves() for path in _games_on(shelf)}


@cache
def _samples() -> dict[str, Path]:
    from importlib.metadata import entry_points

    shelves: list[Path] = [point.load() for point in entry_points(group=SAMPLES)]
    return {path.name: path for shelf in shelves for path in _games_on(shelf)}


def _shelves() -> Iterator[Path]:
    given = os.environ.get("LUDUS_GAMES", "")
    yield from (Path(text).expanduser() for text in given.split(os.pathsep) if text)
    yield home() / "games"


def _games_on(shelf: Path) -> list[Path]:
    if not shelf.is_dir():
        return []
    folders = [path for path in sorted(shelf.iterdir()) if path.is_dir()]
    return [path for path in folders if any((path / file).is_file() for file in _openers())]


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


def _unknown(name: str) -> NoReturn:
    known = sorted([*names(), *samples()])
    near = difflib.get_close_matches(name, known, n=1)
    hint_en = f"; did you mean {near[0]!r}?" if near else f"; there are: {', '.join(known)}"
    hint_zh = f"；是不是 {near[0]!r}？" if near else f"；现有：{'、'.join(known)}"
    raise LudusError(f"there is no game {name!r}{hint_en}", f"没有游戏 {name!r}{hint_zh}")
