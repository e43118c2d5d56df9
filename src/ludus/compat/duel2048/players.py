"""Creates players from entries of ``playerList``: a path, a class, or either with a time zero.

A path is an untrusted program and runs in a jail; a class, and with ``in_process`` a path as well,
runs in this process as with the original.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import numbers
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from ludus.bots.players.local import format_bot_traceback
from ludus.bots.temp_folders import TempFolder
from ludus.compat.jailed_players import JailedPlayer, warn_in_process
from ludus.errors import LudusError
from ludus.games.duel2048 import GAME
from ludus.games.duel2048.dialect import PlayerHost

HUMAN_MODULE = "ludus.compat.duel2048.human"
"""The player ``human``, unless there is a file of that name."""


@dataclass(frozen=True, slots=True)
class MatchPlayer:
    """One participant of a match."""

    make: type | JailedPlayer
    path: Any
    """The path or class as it was given."""
    time0: float
    """Where its clock starts: -1 gives it a second more."""

    def state(self, number: int, first: bool) -> dict[str, Any]:
        """Its state for one bout, with an instance that is not initialised yet."""
        make = self.make
        return {
            "player": make if isinstance(make, JailedPlayer) else _make_bare(make),
            "path": self.path,
            "time": self.time0,
            "time0": self.time0,
            "error": False,
            "exception": None,
            "index": (number, first),
        }

    def close(self) -> None:
        """Release the player: the match is over."""
        if isinstance(self.make, JailedPlayer):
            self.make.close()


def _make_bare(make: Any) -> Any:
    try:
        return object.__new__(make)
    except TypeError:  # a class derived from dict or the like
        return make.__new__(make)


def resolve_player(given: Any, time0: Any = 0, *, in_process: bool = False) -> MatchPlayer:
    """The participant for an entry of ``playerList``; LudusError if it is invalid."""
    if not isinstance(time0, numbers.Real) or not math.isfinite(time0):
        raise LudusError(
            f"the time zero of {given!r} must be a number of seconds, got {time0!r}",
            f"{given!r} 的计时零点应为秒数，得到 {time0!r}",
        )
    if isinstance(given, (str, os.PathLike)):
        path = os.fspath(given)
        make = _load(path) if in_process else _create_jailed_player(path)
    else:
        make = given
    if isinstance(make, JailedPlayer):
        return MatchPlayer(make, given, cast(float, time0))
    if not isinstance(make, type) or not callable(getattr(make, "output", None)):
        raise _no_player_error(given)
    if make.__module__ != HUMAN_MODULE:
        warn_in_process()
    return MatchPlayer(make, given, cast(float, time0))


def _no_player_error(given: Any) -> LudusError:
    return LudusError(
        f"{given} does not define a class Player with a method output",
        f"{given} 没有定义带 output 方法的 Player 类",
    )


def _create_jailed_player(path: str) -> Any:
    """A player in a jail, or the human player."""
    spec = _find(path)
    if spec.name == HUMAN_MODULE:
        return importlib.import_module(HUMAN_MODULE).Player
    assert spec.origin is not None
    if spec.submodule_search_locations is None and spec.origin.endswith(".py"):
        return JailedPlayer(Path(spec.origin), GAME, path, _no_player_error(path))
    with TempFolder("player") as scratch:  # a package, or a compiled module: a file that imports it
        file = Path(scratch, f"{spec.name}_player.py")
        file.write_text(f"from {spec.name} import Player\n")
        origin = Path(spec.origin)
        if spec.submodule_search_locations is None:
            shutil.copy(origin, scratch)
        else:
            shutil.copytree(origin.parent, Path(scratch, spec.name), symlinks=True)
        return JailedPlayer(file, GAME, path, _no_player_error(path))


def _load(path: str) -> Any:
    spec = _find(path)
    if spec.name == HUMAN_MODULE:
        return importlib.import_module(HUMAN_MODULE).Player
    try:
        with _prefer_folder(Path(spec.origin or path).parent):
            return getattr(_run(spec), "Player", None)
    except (Exception, SystemExit) as error:
        raise _import_error(path, error) from error


def _find(path: str) -> ModuleSpec:
    """The module at a path, with or without suffix; the name may contain any character."""
    base, _ = os.path.splitext(path)
    for file in (path, f"{path}.py", f"{base}.py"):
        if file.endswith(".py") and os.path.isfile(file):
            name = os.path.basename(file).removesuffix(".py")
            spec = importlib.util.spec_from_file_location(name, os.path.abspath(file))
            if spec is not None:
                return spec
    folder, name = os.path.split(os.path.abspath(base))
    spec = PathFinder.find_spec(name, [folder])  # a package or a compiled module
    if spec is None and name == "human":
        spec = importlib.util.find_spec(HUMAN_MODULE)
    if spec is None or spec.loader is None or spec.origin is None:
        raise LudusError(
            f"player {path!r} not found: no such Python file in {os.getcwd()}",
            f"找不到选手 {path!r}：{os.getcwd()} 中没有该 Python 文件",
        )
    return spec


@contextmanager
def _prefer_folder(folder: Path) -> Iterator[None]:
    """Allow imports from a player's folder while it is imported; its modules are private to it."""
    for name, ours in PlayerHost.modules.items():
        sys.modules.setdefault(name, importlib.import_module(ours))
    _forget_neighbours(folder)
    sys.path.insert(0, str(folder))
    before = set(sys.modules)
    try:
        yield
    finally:
        with suppress(ValueError):
            sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            if _is_inside(sys.modules[name], folder):
                _neighbours[name] = sys.modules[name]


_neighbours: dict[str, ModuleType] = {}
"""Modules that players imported from their own folders."""


def _forget_neighbours(folder: Path) -> None:
    """Hide modules of other players, so that their ``utils`` is not used for this one's."""
    for name, module in list(_neighbours.items()):
        here = PathFinder.find_spec(name.partition(".")[0], [str(folder)])
        if here is not None and not _is_inside(module, folder):
            del _neighbours[name]
            if sys.modules.get(name) is module:
                del sys.modules[name]


def _is_inside(module: ModuleType, folder: Path) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and Path(file).is_relative_to(folder)


def _run(spec: ModuleSpec) -> ModuleType:
    module = importlib.util.module_from_spec(spec)
    known = sys.modules.setdefault(spec.name, module)  # a bot named random.py must not hide random
    try:
        assert spec.loader is not None
        spec.loader.exec_module(module)
    finally:
        if known is module:
            sys.modules.pop(spec.name, None)
    return module


def _import_error(path: str, error: BaseException) -> LudusError:
    if isinstance(error, SyntaxError):
        file, line = error.filename or path, error.lineno
        return LudusError(
            f"{path} cannot be imported: {file}, line {line}: not valid Python: {error.msg}",
            f"{path} 无法导入：{file} 第 {line} 行：不是有效的 Python：{error.msg}",
        )
    what = f"{type(error).__name__}: {error}"
    return LudusError(
        f"{path} cannot be imported: it raised {what}",
        f"{path} 无法导入：抛出 {what}",
        format_bot_traceback(error),
    )
