"""House bots that play every game they can: ``search:800``, ``learned:FILE``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ludus.errors import LudusError
from ludus.games.base import Game

LEARN_FOLDER = Path(__file__).parent.parent / "learn"
ENGINE_BOTS_FOLDER = LEARN_FOLDER / "bots"
"""One file each, named like the bot; what follows the colon is handed to its class ``Bot``."""
NETS_FOLDER = LEARN_FOLDER / "nets"
"""A trained network for each game that has one, for ``learned`` without a file."""
LEARNED = "learned"


@dataclass(frozen=True, slots=True)
class EngineBot:
    """What a name like ``search:800`` stands for."""

    name: str
    path: Path
    argument: str
    """What followed the colon."""
    net: Path | None = None
    """The network of a learned bot."""


def engine_names() -> list[str]:
    """The names that may be followed by a colon."""
    return sorted(
        file.stem for file in ENGINE_BOTS_FOLDER.glob("*.py") if not file.stem.startswith("_")
    )


def _is_searchable(game: Game) -> bool:
    """Whether its rules can be searched: not where they are a program of their own."""
    return len(game.seats) == 2 and not game.hidden and not game.turn_source


def engine_paths(game: Game) -> dict[str, Path]:
    """The thinkers that need no argument to play a game, by name."""
    if not _is_searchable(game):
        return {}
    found = {name: ENGINE_BOTS_FOLDER / f"{name}.py" for name in engine_names()}
    if not (NETS_FOLDER / f"{game.name}.onnx").is_file():
        found.pop(LEARNED, None)
    return found


def find_engine_bot(spec: str, game: Game) -> EngineBot | None:
    """The thinker that a person means, or None if the name is none of theirs."""
    name, _, argument = spec.partition(":")
    if name not in engine_names():
        return None
    if not _is_searchable(game):
        raise LudusError(
            f"{name} plays Ludus games of two seats in which everybody sees everything, not"
            f" {game.name}",
            f"{name} 只能玩双方都看得到全部局面的两人游戏，不能玩 {game.name}",
        )
    path = ENGINE_BOTS_FOLDER / f"{name}.py"
    if name == LEARNED:
        net = _find_net(argument, game)
        return EngineBot(f"{name}:{net.stem}" if argument else name, path, argument, net)
    return EngineBot(spec, path, _parse_number(spec, argument))


def _parse_number(spec: str, argument: str) -> str:
    if argument and not (argument.isascii() and argument.isdigit() and int(argument) > 0):
        raise LudusError(
            f"{spec}: expected a number of simulations after the colon, like search:800",
            f"{spec}：冒号后应为模拟次数，例如 search:800",
        )
    return argument


def _find_net(argument: str, game: Game) -> Path:
    path = Path(argument).expanduser() if argument else NETS_FOLDER / f"{game.name}.onnx"
    if path.is_file():
        return path.absolute()
    if argument:
        raise LudusError(
            f"there is no network {argument}; ludus train {game.name} makes one",
            f"没有网络文件 {argument}；用 ludus train {game.name} 可以训练一个",
        )
    raise LudusError(
        f"Ludus ships no network for {game.name}; train one (ludus train {game.name}) and name"
        f" its file: learned:FILE",
        f"弈场没有自带 {game.name} 的网络；请先训练（ludus train {game.name}），"
        f"再写明文件：learned:FILE",
    )
