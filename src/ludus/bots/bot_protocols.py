"""Protocols of other platforms, which bots speak in place of ludus/1.

Installed packages provide them: each is an entry point of the group ``ludus.bot_protocols``, whose
value is an ``InstalledProtocol``. ``protocol = "NAME"`` in ``ludus.toml`` chooses one, and some
bots are recognised by their source. Ludus' own are in ``ludus.compat``, which this package does not
import.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ludus.bots.languages.base import BotCode, Language
from ludus.bots.protocol import PROTOCOL_NAME
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.lang import Text
from ludus.plugins import load_entry_point
from ludus.sandbox import Limits

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from ludus.bots.build import BuildSpec
    from ludus.bots.players.base import Player
    from ludus.bots.players.interrupt import Interrupt
    from ludus.bots.resolve import BotSource

PROTOCOLS_ENTRY_POINTS = "ludus.bot_protocols"


class CreatePlayer(Protocol):
    """Creates the player of a bot that speaks the protocol, compiled if needed.

    ``source.unjailed``: the user trusts the program, which then runs without a jail. LudusError if
    the game cannot be played by this protocol.
    """

    def __call__(
        self,
        source: BotSource,
        game: Game,
        *,
        limits: Limits,
        jail: str | None,
        interrupt: Interrupt | None,
    ) -> Player: ...


class CreateDebugPlayer(Protocol):
    """Creates a player that runs a Python bot's main file in this process, for a debugger.

    A bot that runs in a thread of its own calls ``enter_thread`` there whenever its code goes on.
    """

    def __call__(
        self, source: BotSource, game: Game, main: Path, enter_thread: Callable[[], None]
    ) -> Player: ...


@dataclass(frozen=True, slots=True)
class InstalledProtocol:
    """A protocol of bots, as its package describes it."""

    create_player: CreatePlayer
    recognize: Callable[[Language, BotCode], bool] | None = None
    """Whether a bot that names no protocol speaks this one, judged by its source. It is not asked
    about a Python file that defines a bot of Ludus."""
    adapt_build: Callable[[BuildSpec], BuildSpec] | None = None
    """How a bot that speaks it is built, where that differs from bots of Ludus."""
    create_debug_player: CreateDebugPlayer | None = None
    """How a Python bot that speaks it runs inside a debugger, if it can."""
    for_programs: bool = True
    """Whether a bot's program speaks it, so that ``ludus.toml`` may name it. False for seats that
    are not programs: only a scheme, which the user writes, may open them."""


@cache
def _entry_points() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # slow to import, seldom needed

    return {point.name: point for point in entry_points(group=PROTOCOLS_ENTRY_POINTS)}


def protocol_names() -> list[str]:
    """The protocols that ``ludus.toml`` may name; ludus/1 first."""
    spoken = [name for name in sorted(_entry_points()) if find_protocol(name).for_programs]
    return [PROTOCOL_NAME, *spoken]


@cache
def find_protocol(name: str) -> InstalledProtocol:
    """An installed protocol by its name; LudusError if there is none."""
    if (point := _entry_points().get(name)) is None:
        raise LudusError(
            f"no installed package knows the bot protocol {name!r}",
            f"没有安装支持 AI 协议 {name!r} 的包",
        )
    return load_entry_point(point, InstalledProtocol, Text("bot protocol", " AI 协议"))


def adapt_build(protocol: str, spec: BuildSpec) -> BuildSpec:
    """The same bot, built as its protocol has it."""
    if protocol == PROTOCOL_NAME:
        return spec
    adapt = find_protocol(protocol).adapt_build
    return spec if adapt is None else adapt(spec)


def recognize_protocol(language: Language, code: BotCode) -> str:
    """The protocol that a bot's source shows it to speak; ludus/1 if none of the others."""
    for name in sorted(_entry_points()):
        recognize = find_protocol(name).recognize
        if recognize is not None and recognize(language, code):
            return name
    return PROTOCOL_NAME


def choose_game_protocol(game: Game, language: Language | None, code: BotCode | None) -> str:
    """The protocol of a program that plays a game whose bots do not speak ludus/1.

    It is what the game speaks, or a form of it that the source shows (``botzone-simpleio`` for a
    game that speaks ``botzone``). A protocol that no package provides is the game's own affair.
    """
    if game.speaks not in _entry_points():
        return PROTOCOL_NAME
    shown = recognize_protocol(language, code) if language and code else PROTOCOL_NAME
    return shown if shown.startswith(f"{game.speaks}-") else game.speaks
