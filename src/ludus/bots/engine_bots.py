"""House bots that play many games: ``search:800``, ``learned:easy``, ``learned:FILE``.

Installed packages provide them: each is an entry point of the group ``ludus.engine_bots``, whose
value is an ``InstalledEngine``. Ludus' own are in ``ludus.learn``, which this package does not
import.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ludus.called import program_name
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.lang import Text
from ludus.packages import add_command
from ludus.plugins import load_entry_point

ENGINES_ENTRY_POINTS = "ludus.engine_bots"


@dataclass(frozen=True, slots=True)
class InstalledEngine:
    """A house bot for many games, as its package describes it."""

    path: Path
    """A file with a class ``Bot``, which receives what follows the colon in the bot's name."""
    nets: Path | None = None
    """A folder with trained networks (``GAME.onnx``, for other options ``GAME-….onnx``), for a bot
    whose argument is such a file; None if its argument is a number of simulations."""
    levels: Mapping[str, Text] = field(default_factory=dict)
    """What the argument may be for the networks of that folder, with a description: how strongly
    it plays. The last one is meant without an argument."""
    needs: str = ""
    """A module that it imports and that may be missing, because it comes with an extra."""
    trainable: Collection[str] = ()
    """The games for which ``ludus train`` makes networks that it plays with."""
    extra: str = ""
    """The extra of Ludus that installs this module."""
    check: Callable[[Game, Any, Path | None], None] = lambda game, options, net: None
    """Raises LudusError if it cannot play a game with these options: with the user's network, or
    without a file."""

    @property
    def is_ready(self) -> bool:
        """Whether everything that it needs is installed."""
        return not self.needs or find_spec(self.needs) is not None


@dataclass(frozen=True, slots=True)
class EngineBot:
    """The engine and argument that a name like ``search:800`` stands for."""

    name: str
    path: Path
    argument: str
    """The part after the colon, for the bot itself."""
    net: Path | None = None
    """The network that the user named."""
    shipped_nets: tuple[Path, ...] = ()
    """The networks that the engine brings for this game; it chooses one by the bout's options."""


def engine_names() -> list[str]:
    """The names of all installed engines."""
    return sorted(_installed_engines())


@cache
def _installed_engines() -> dict[str, InstalledEngine]:
    from importlib.metadata import entry_points  # slow to import, seldom needed

    return {
        point.name: load_entry_point(point, InstalledEngine, Text("bot", " AI"))
        for point in entry_points(group=ENGINES_ENTRY_POINTS)
    }


def _is_searchable(game: Game) -> bool:
    """Whether engines can search it: two seats, no hidden information, rules in this process."""
    return len(game.seats) == 2 and not game.hidden and not game.turn_source


def engine_paths(game: Game) -> dict[str, Path]:
    """The engines that can play a game without a file, by name, each level under its own."""
    if not _is_searchable(game):
        return {}
    found: dict[str, Path] = {}
    for name, engine in sorted(_installed_engines().items()):
        if engine.is_ready and (engine.nets is None or shipped_nets(engine.nets, game)):
            names = [f"{name}:{level}" for level in list(engine.levels)[:-1]]
            found |= dict.fromkeys([name, *reversed(names)], engine.path)
    return found


def can_play(name: str, game: Game, options: Mapping[str, Any]) -> bool:
    """Whether a house bot of the game plays it with these options: an engine may not."""
    try:
        refuse_unsuitable(name, game, game.Options.parse(options))
    except LudusError:
        return False
    return True


def refuse_unsuitable(name: str, game: Game, options: Any) -> None:
    """LudusError if a bot's name is that of an engine that cannot play with these options."""
    if name in game.bots() or (found := find_engine_bot(name, game)) is None:
        return
    _installed_engines()[name.partition(":")[0]].check(game, options, found.net)


def shipped_nets(nets: Path, game: Game) -> tuple[Path, ...]:
    """The networks for a game in a folder: that of the usual options first."""
    usual = nets / f"{game.name}.onnx"
    others = sorted(nets.glob(f"{game.name}-*.onnx"))
    return (usual, *others) if usual.is_file() else tuple(others)


def describe_engine_level(spec: str) -> Text | None:
    """What the level in a name like ``learned:easy`` means; None if it is the name of none."""
    name, _, level = spec.partition(":")
    engine = _installed_engines().get(name)
    if engine is None or not engine.levels:
        return None
    return engine.levels.get(level or list(engine.levels)[-1])


def is_engine_level(spec: str) -> bool:
    """Whether a name like ``learned:easy`` ends with a level, not with a file."""
    return ":" in spec and describe_engine_level(spec) is not None


def is_numbered_engine(spec: str) -> bool:
    """Whether a name is that of an engine with a number of simulations, like ``search:800``."""
    name, _, argument = spec.partition(":")
    number = argument.isascii() and argument.isdigit() and argument != "0" and len(argument) <= 6
    engine = _installed_engines().get(name) if number else None
    return engine is not None and engine.nets is None


def find_engine_bot(spec: str, game: Game) -> EngineBot | None:
    """The engine that a bot name refers to, or None if it is not the name of one."""
    name, _, argument = spec.partition(":")
    if not name.isidentifier() or (engine := _installed_engines().get(name)) is None:
        return None  # most names are paths: do not list installed packages for them
    if not _is_searchable(game):
        raise LudusError(
            f"{name} plays only Ludus games with two seats and no hidden information, not"
            f" {game.name}",
            f"{name} 只能玩没有隐藏信息的两人游戏，不能玩 {game.name}",
        )
    if not engine.is_ready:
        raise _not_installed(name, engine)
    if engine.nets is None:
        return EngineBot(spec, engine.path, _parse_number(spec, argument))
    if argument and argument not in engine.levels:
        net = _find_net(name, argument, engine, game)
        return EngineBot(f"{name}:{net.stem}", engine.path, argument, net)
    nets = shipped_nets(engine.nets, game)
    if not nets:
        raise _no_shipped_net(name, engine, game)
    return EngineBot(spec, engine.path, argument, shipped_nets=nets)


def _parse_number(spec: str, argument: str) -> str:
    if argument and not (argument.isascii() and argument.isdigit() and int(argument) > 0):
        raise LudusError(
            f"{spec}: expected a number of simulations after the colon, like search:800",
            f"{spec}：冒号后应为模拟次数，例如 search:800",
        )
    return argument


def _find_net(name: str, argument: str, engine: InstalledEngine, game: Game) -> Path:
    path = Path(argument).expanduser()
    if path.is_file():
        return path.absolute()
    if game.name not in engine.trainable:
        raise _not_trainable(name, game)
    levels = ", ".join(engine.levels)
    raise LudusError(
        f"network file {argument} not found; {program_name()} train {game.name} makes one."
        f" Levels are: {levels}",
        f"找不到网络文件 {argument}；用 {program_name()} train {game.name} 可以训练一个。"
        f"级别有：{levels}",
    )


def _not_installed(name: str, engine: InstalledEngine) -> LudusError:
    command = add_command(f"[{engine.extra}]")
    return LudusError(
        f"{name} needs {engine.needs}, which is not installed; install it: {command}",
        f"{name} 需要 {engine.needs}，尚未安装；请安装：{command}",
    )


def _no_shipped_net(name: str, engine: InstalledEngine, game: Game) -> LudusError:
    if game.name not in engine.trainable:
        return _not_trainable(name, game)
    return LudusError(
        f"Ludus ships no network for {game.name}; train one (ludus train {game.name}) and name"
        f" its file: {name}:FILE",
        f"弈场没有自带 {game.name} 的网络；请先训练（ludus train {game.name}），"
        f"再写明文件：{name}:FILE",
    )


def _not_trainable(name: str, game: Game) -> LudusError:
    return LudusError(
        f"{name} has no network for {game.name}, and ludus train cannot make one for this game;"
        " search:800 plays it without a network, and learners of your own can use it as an"
        " environment of Gymnasium (page gym of the docs)",
        f"{name} 没有 {game.name} 的网络，ludus train 也不能训练这个游戏；"
        "search:800 不用网络就能玩，自己的学习程序可以把它当作 Gymnasium 环境（见文档 gym 页）",
    )
