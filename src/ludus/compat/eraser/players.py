"""The players of the original's tools: files in the current folder, by name."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from ludus.bots.players.local import format_bot_traceback
from ludus.compat.jailed_players import JailedPlayer
from ludus.errors import LudusError
from ludus.games.eraser import GAME
from ludus.games.eraser.dialect import PlaserHost

Players = tuple[JailedPlayer, JailedPlayer] | tuple[ModuleType, ModuleType]


@contextlib.contextmanager
def open_players(name_1: str, name_2: str, in_process: bool) -> Iterator[Players]:
    """Two players for a match: each in a jail, or both as modules of this process."""
    if in_process:
        yield load(name_1), load(name_2)
        return
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(contextlib.closing(create_jailed_player(name_1)))
        second = stack.enter_context(contextlib.closing(create_jailed_player(name_2)))
        yield first, second


def create_jailed_player(name: str) -> JailedPlayer:
    """The player in a file, ``name`` or ``name.py``, in a jail."""
    return JailedPlayer(_file_of(name), GAME, name, _no_player_error(name))


def _file_of(name: str) -> Path:
    path = Path(name if name.endswith(".py") else f"{name}.py").resolve()
    if not path.is_file():
        raise LudusError(
            f"player {name!r} not found: no such Python file in {os.getcwd()}",
            f"找不到选手 {name!r}：{os.getcwd()} 中没有该 Python 文件",
        )
    return path


def _no_player_error(name: str) -> LudusError:
    return LudusError(f"{name} has no class Plaser", f"{name} 中没有 Plaser 类")


def load(name: str) -> ModuleType:
    """The module in a file, ``name`` or ``name.py``, which runs here, without a jail.

    Files beside it can be imported.
    """
    path = _file_of(name)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    for known, ours in PlaserHost.modules.items():
        sys.modules.setdefault(known, importlib.import_module(ours))
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        what = f"{type(error).__name__}: {error}"
        raise LudusError(
            f"{name} cannot be imported: it raised {what}",
            f"{name} 无法导入：抛出 {what}",
            format_bot_traceback(error),
        ) from None
    if not hasattr(module, "Plaser"):
        raise _no_player_error(name)
    return module
