"""Which games there are: those in this package, those of installed packages, those in folders.

A folder holds a game if it contains a file that some package can open: packages name such
files, and the function that opens the folder, as entry points of ``ludus.game_folders``. Folders
are found by the game's name in ``$LUDUS_GAMES``, ``$LUDUS_HOME/games`` and the folders of samples
that packages name as entry points of ``ludus.samples``.

Three functions return a game, and they differ in whose input they accept:

- ``get_listed`` knows the games of this machine by their names. Names from outside (a
  request, an upload, a manifest) are looked up here.
- ``get`` knows those, and the names of the folders that were opened in this process.
- ``open_game`` also takes the path of a folder. Only the user of this machine may name a path, at
  the command line or in Python, so only ``ludus.cli`` and ``ludus.api`` call it.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.home import ludus_home
from ludus.lang import Text
from ludus.plugins import load_entry_point

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GAMES_ENTRY_POINTS = "ludus.games"
FOLDERS_ENTRY_POINTS = "ludus.game_folders"
SAMPLES_ENTRY_POINTS = "ludus.samples"

MAX_COUNT_DIGITS = 3
"""Digits of the number of players after a colon."""

_opened_folders: dict[str, Path] = {}
"""Folders that were opened in this process by their paths, by the names of their games."""


class UnknownGame(LudusError):
    """No game of this machine has the name."""

    code = "unknown_game"


def _built_in_names() -> list[str]:
    return sorted(path.parent.name for path in Path(__file__).parent.glob("*/__init__.py"))


@cache
def _installed_games() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # slow to import, seldom needed

    return {point.name: point for point in entry_points(group=GAMES_ENTRY_POINTS)}


def find_folders_with_games(folders: Iterable[str]) -> list[str]:
    """The folders among these that contain installed packages or modules with games."""
    from importlib.metadata import distributions

    modules_by_folder: dict[str, set[str]] = {}
    for folder in folders:
        points = (point for each in distributions(path=[folder]) for point in each.entry_points)
        modules_by_folder[folder] = {
            point.module.split(".")[0] for point in points if point.group == GAMES_ENTRY_POINTS
        }
    modules = set[str]().union(*modules_by_folder.values())

    files = [*modules, *(f"{name}.py" for name in modules)]
    return [
        folder
        for folder, own in modules_by_folder.items()
        if own or any(Path(folder, name).exists() for name in files)
    ]


def find_games_of_module(module: str) -> list[str]:
    """The installed games to whose package a module belongs; none of them are part of Ludus."""
    package = module.partition(".")[0]
    if package == __name__.partition(".")[0]:
        return []
    points = _installed_games().values()
    return sorted(point.name for point in points if point.module.partition(".")[0] == package)


def find_entry_points(game: Game) -> list[str]:
    """The names of the entry points by which a game is installed; none if it is not, or is part of
    Ludus."""
    package = type(game).__module__.partition(".")[0]
    if not find_games_of_module(package):
        return []
    points = _installed_games().values()
    own = [point for point in points if point.module.partition(".")[0] == package]
    return [point.name for point in own if type(point.load()) is type(game)]


def names() -> list[str]:
    """The names of all games, in order, without those that are only samples."""
    return sorted({*_built_in_names(), *_installed_games(), *_find_game_folders()})


def sample_names() -> list[str]:
    """Games that show how one is made: found by their names like all others, in order."""
    return sorted(set(_samples()) - set(names()))


def get_listed(name: str) -> Game:
    """The game of this machine that has the name, or UnknownGame, which names the ones there are.

    ``uno:4`` is the game ``uno`` for four. A path is never a name.
    """
    return _find_for_players(name, _find_listed) or _raise_unknown(name)


def get(name: str) -> Game:
    """The game of that name: one of this machine, or one that this process has opened."""
    return _find_for_players(
        name, lambda base: _find_listed(base) or _find_opened(base)
    ) or _raise_unknown(name)


def load_games(chosen: Iterable[str]) -> tuple[list[Game], list[LudusError]]:
    """The games of these names that can be loaded, and why the others cannot be."""
    games, errors = list[Game](), list[LudusError]()
    for name in chosen:
        try:
            games.append(get(name))
        except LudusError as error:
            errors.append(error)
    return games, errors


def open_game(spec: str) -> Game:
    """The game that a user names at the command line: ``uno``, ``uno:4``, ``./uno`` or ``./uno:4``.

    The game in a folder is known by its own name from then on, to this process alone. A folder
    whose game is called like another game of this machine is refused: neither replaces the other.
    """
    if os.sep not in spec:
        return get(spec)
    if game := _find_for_players(spec, lambda base: open_folder(Path(base))):
        return game
    if Path(spec).is_dir():
        _refuse_folder_without_game(spec)
    return _raise_unknown(spec)


def _refuse_folder_without_game(folder: str) -> NoReturn:
    files = sorted(_openers())
    raise UnknownGame(
        f"{folder} is a folder without a {' or '.join(files)}, so there is no game in it",
        f"{folder} 是文件夹，但其中没有 {' 或 '.join(files)}，所以不是游戏",
    )


def open_folder(folder: Path) -> Game | None:
    """The game in a folder, known by its name from then on; None if the folder holds none."""
    game = _game_in(folder)
    if game is not None:
        folder = folder.resolve()
        _refuse_namesake(game, folder)
        _opened_folders[game.name] = folder
    return game


def find_opened_folder(name: str) -> Path | None:
    """The folder that this process opened for a game, so that our other processes can open it."""
    return _opened_folders.get(name.partition(":")[0])


def _find_for_players(name: str, find: Callable[[str], Game | None]) -> Game | None:
    if game := find(name):
        return game
    base, colon, count = name.rpartition(":")
    if colon and count.isdecimal() and len(count) <= MAX_COUNT_DIGITS and (game := find(base)):
        return game.for_players(int(count))
    return None


def is_installed(name: str) -> bool:
    """Whether the game comes with Ludus or an installed package, and not from a folder."""
    base, colon, count = name.rpartition(":")
    return _find_installed(base if colon and count.isdecimal() else name) is not None


def _find_listed(name: str) -> Game | None:
    if game := _find_installed(name):
        return game
    folder = _find_folder(name)
    return _game_in(folder) if folder else None


def _find_folder(name: str) -> Path | None:
    return _find_game_folders().get(name) or _samples().get(name) or _find_folder_by_game_name(name)


def _find_folder_by_game_name(name: str) -> Path | None:
    """A folder of games whose own name is not that of its game."""
    for folder in _find_game_folders().values():
        with contextlib.suppress(LudusError):
            game = _game_in(folder)
            if game is not None and game.name == name:
                return folder
    return None


def _find_opened(name: str) -> Game | None:
    folder = _opened_folders.get(name)
    return _game_in(folder) if folder else None


def _refuse_namesake(game: Game, folder: Path) -> None:
    there = _find_folder(game.name)
    same = there is not None and there.resolve() == folder
    if (there is not None and not same) or _find_installed(game.name) is not None:
        raise LudusError(
            f"the game in {folder} is called {game.name!r}, as another game of this machine is;"
            " give it another name in its manifest",
            f"{folder} 中的游戏名为 {game.name!r}，与本机的另一个游戏重名；请在其清单中改名",
        )


@lru_cache(256)
def _find_installed(name: str) -> Game | None:
    if name in _built_in_names():
        game: Game = importlib.import_module(f"ludus.games.{name}").GAME
        return game
    if point := _installed_games().get(name):
        return _load_installed(point)
    return None


def _load_installed(point: EntryPoint) -> Game:
    from ludus.games.first_position import (  # it imports this module
        check_class,
        check_first_position,
    )

    game = load_entry_point(point, Game, Text("game", "游戏"))
    _refuse_other_name(game, point)
    check_class(game)
    check_first_position(game)
    return game


def _refuse_other_name(game: Game, point: EntryPoint) -> None:
    """Records and other processes find a game by its own name, commands by its entry point's."""
    if (own := getattr(game, "name", None)) != point.name:
        raise LudusError(
            f"the entry point of {point.value} is called {point.name!r}, but its game has the name"
            f" {own!r}: make both the same, in pyproject.toml or in the game's class",
            f"{point.value} 的入口名为 {point.name!r}，而游戏的 name 是 {own!r}："
            "请在 pyproject.toml 或游戏的类中改成一致",
        )


def _game_in(folder: Path) -> Game | None:
    for file, opener in _openers().items():
        if (folder / file).is_file():
            return opener(folder)
    return None


@cache
def _openers() -> dict[str, Callable[[Path], Game]]:
    from importlib.metadata import entry_points

    return {point.name: point.load() for point in entry_points(group=FOLDERS_ENTRY_POINTS)}


def _find_game_folders() -> dict[str, Path]:
    """Games in the folders of games, by the names of their own folders."""
    return {path.name: path for shelf in _search_folders() for path in _list_game_folders(shelf)}


@cache
def _samples() -> dict[str, Path]:
    from importlib.metadata import entry_points

    shelves: list[Path] = [point.load() for point in entry_points(group=SAMPLES_ENTRY_POINTS)]
    return {path.name: path for shelf in shelves for path in _list_game_folders(shelf)}


def _search_folders() -> Iterator[Path]:
    given = os.environ.get("LUDUS_GAMES", "")
    yield from (Path(text).expanduser() for text in given.split(os.pathsep) if text)
    yield ludus_home() / "games"


def _list_game_folders(shelf: Path) -> list[Path]:
    if not shelf.is_dir():
        return []
    folders = [path for path in sorted(shelf.iterdir()) if path.is_dir()]
    return [path for path in folders if any((path / file).is_file() for file in _openers())]


def _raise_unknown(name: str) -> NoReturn:
    known = sorted([*names(), *sample_names()])
    titles = {game.name: Text.of(game.title) for game in load_games(known)[0]}
    if near := _find_nearest(name, known, titles):
        title = titles.get(near)
        named = f"（{title.zh}）" if title else ""
        hint = Text(f"; did you mean {near!r}?", f"；是不是 {near!r}{named}？")
    else:
        listed = "、".join(
            f"{each} {titles[each].zh}" if each in titles else each for each in known
        )
        hint = Text(f"; there are: {', '.join(known)}", f"；现有：{listed}")
    raise UnknownGame(f"there is no game {name!r}{hint.en}", f"没有游戏 {name!r}{hint.zh}")


def _find_nearest(name: str, known: Sequence[str], titles: Mapping[str, Text]) -> str | None:
    """The game that somebody means who wrote its title, or nearly its name or title."""
    spellings = {_simplify(each): each for each in known}
    for each, title in titles.items():
        for words in (title.en, title.zh):
            spellings.setdefault(_simplify(words), each)
    near = difflib.get_close_matches(_simplify(name), spellings, n=1)
    return spellings[near[0]] if near else None


def _simplify(name: str) -> str:
    return "".join(name.split()).casefold()
