"""A player that runs a bot's own file in this process, where a debugger can look into it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ludus.analysis.turn_debugger import TurnDebugger
from ludus.bots.bot_protocols import find_protocol
from ludus.bots.load import load_bot
from ludus.bots.players.base import Player
from ludus.bots.players.local import LocalPlayer
from ludus.bots.protocol import PROTOCOL_NAME
from ludus.bots.resolve import BotSource, resolve_bot
from ludus.errors import LudusError
from ludus.games.base import Game


@dataclass(frozen=True, slots=True)
class DebuggedBot:
    """A Python bot that is to be run in this process."""

    source: BotSource
    main: Path
    """Its main file, where its author edits it."""

    @property
    def folder(self) -> Path:
        """The folder of its files."""
        return self.main.parent

    def create_player(self, game: Game, debugger: TurnDebugger) -> Player:
        """The player; ``debugger`` is only for kinds of bots that must tell it when they begin."""
        source = self.source
        if source.protocol != PROTOCOL_NAME:
            create = find_protocol(source.protocol).create_debug_player
            assert create is not None
            return create(source, game, self.main, debugger.enter_bot_thread)
        argument = source.build_spec.argument
        return LocalPlayer(source.name, lambda: load_bot(self.main, game, argument), source.digest)


@contextmanager
def forget_imports_from(folder: Path) -> Iterator[None]:
    """At the end, this process knows no module of the folder that it did not know before.

    A bot's file and its neighbours are then read anew the next time, and a module of the same name
    in another folder is found.
    """
    paths, known = list(sys.path), set(sys.modules)
    try:
        yield
    finally:
        sys.path[:] = paths
        for name in set(sys.modules) - known:
            file = getattr(sys.modules[name], "__file__", None)
            if isinstance(file, str) and Path(file).is_relative_to(folder):
                del sys.modules[name]


def open_debugged_bot(named: str, game: Game) -> DebuggedBot:
    """The bot that the user names; LudusError if it is not one that can run in this process."""
    source = resolve_bot(named, game)
    main = _find_main_file(named, source)
    spoken = source.protocol == PROTOCOL_NAME
    if main is None or not (spoken or find_protocol(source.protocol).create_debug_player):
        raise LudusError(
            f"{source.name} is not a Python bot that can run inside a debugger; --diff and"
            " ludus check --records compare the answers of bots of every kind",
            f"{source.name} 不是能在调试器内运行的 Python AI；"
            "--diff 与 ludus check --records 可比较任何 AI 的回答",
        )
    return DebuggedBot(source, main)


def _find_main_file(named: str, source: BotSource) -> Path | None:
    """The Python file that defines the bot; of a folder, the one in it, and not in its copy."""
    spec = source.build_spec
    path = Path(named).expanduser()
    if spec.language is None or spec.language.name != "python" or spec.code is None:
        return None
    if path.is_dir():
        return (path / spec.code.main).resolve()
    if spec.python is not None:
        return spec.python
    return path.resolve() if path.suffix == ".py" else None
