"""Botzone's bots among the protocols of Ludus: ``botzone`` and ``botzone-simpleio``."""

from __future__ import annotations

from collections.abc import Callable

from ludus import sandbox
from ludus.bots.bot_protocols import InstalledProtocol
from ludus.bots.players.base import Player
from ludus.bots.players.interrupt import Interrupt
from ludus.bots.resolve import BotSource
from ludus.compat.botzone.adapters.adapter import BotzoneAdapter
from ludus.compat.botzone.adapters.table import find_adapter
from ludus.compat.botzone.bot_formats import JsonFormat, MessageFormat, SimpleFormat
from ludus.compat.botzone.bot_player import BotzonePlayer
from ludus.compat.botzone.bot_program import build_program
from ludus.compat.botzone.bot_recognition import speaks_json, speaks_simply
from ludus.games.base import Game
from ludus.sandbox import Limits


def _create_player(
    messages: Callable[[BotzoneAdapter], MessageFormat],
    source: BotSource,
    game: Game,
    limits: Limits,
    jail: str | None,
    interrupt: Interrupt | None,
) -> Player:
    adapter = find_adapter(game)
    return BotzonePlayer(
        source.name,
        build_program(source, limits, jail),
        adapter,
        messages(adapter),
        digest=source.digest,
        limits=limits,
        level=None if source.unjailed else sandbox.choose_level(jail),
        interrupt=interrupt,
    )


def create_json_player(
    source: BotSource,
    game: Game,
    *,
    limits: Limits,
    jail: str | None,
    interrupt: Interrupt | None,
) -> Player:
    """The player of a bot that exchanges JSON."""
    return _create_player(lambda adapter: JsonFormat(), source, game, limits, jail, interrupt)


def create_simple_player(
    source: BotSource,
    game: Game,
    *,
    limits: Limits,
    jail: str | None,
    interrupt: Interrupt | None,
) -> Player:
    """The player of a bot with simple interaction."""
    return _create_player(SimpleFormat, source, game, limits, jail, interrupt)


JSON_PROTOCOL = InstalledProtocol(create_json_player, speaks_json)
SIMPLE_PROTOCOL = InstalledProtocol(create_simple_player, speaks_simply)
