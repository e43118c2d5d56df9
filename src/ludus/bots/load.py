"""Loads a Python bot's file and finds out which kind of bot it defines."""

from __future__ import annotations

import functools
import importlib
import sys
import types
from pathlib import Path
from typing import Any

from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.host import Host


def host_types(game: Game) -> list[type[Host]]:
    """The kinds of bots this game runs: its dialects first, then the native kind."""
    dialects = []
    for target in game.dialects.values():
        module, _, name = target.partition(":")
        dialects.append(getattr(importlib.import_module(module), name))
    return [*dialects, Host]


class NoBotDefined(LudusError):
    """A file does not define a bot for the game."""

    code = "no_bot_defined"


def no_bot_error(path: Path | str, game: Game) -> NoBotDefined:
    wanted_en = " or ".join(_describe_host(kind) for kind in host_types(game))
    wanted_zh = " 或 ".join(_describe_host(kind) for kind in host_types(game))
    return NoBotDefined(
        f"{path} does not define a bot for {game.name}: expected {wanted_en}",
        f"{path} 没有定义 {game.name} 的 AI：应当定义 {wanted_zh}",
    )


def _describe_host(kind: type[Host]) -> str:
    needs = "".join(f".{name}" for name in kind.needs)
    return f"{kind.mark}{needs}"


def load_bot(path: Path, game: Game, argument: str = "") -> Host:
    """Run a bot's file and wrap the bot it defines. Exceptions of the file reach the caller.

    ``argument`` is the part after the colon in the name of a bot like ``search:800``.
    """
    kinds = host_types(game)
    for kind in kinds:
        for name, ours in kind.modules.items():
            sys.modules.setdefault(name, importlib.import_module(ours))
    if path.parent != game.house and str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    sys.modules.setdefault(path.stem, module)
    exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), module.__dict__)
    host = wrap_bot(module.__dict__, kinds, path, game)
    if argument:
        host.make = functools.partial(host.make, argument)
    return host


def wrap_bot(namespace: dict[str, Any], kinds: list[type[Host]], path: Path, game: Game) -> Host:
    """The host for the first kind of bot that a namespace defines."""
    for kind in kinds:
        bot = namespace.get(kind.mark)
        if bot is not None and kind.accepts(bot):
            host = kind(game, bot)
            host.namespace = namespace
            return host
    raise no_bot_error(path, game)
