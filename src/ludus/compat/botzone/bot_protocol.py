"""Botzone's bots among the protocols of Ludus: ``botzone``, ``botzone-simpleio`` and, with the
request of all games, ``botzone-generic``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ludus import sandbox
from ludus.bots.bot_protocols import CreateDebugPlayer, InstalledProtocol
from ludus.bots.players.base import Player
from ludus.bots.players.interrupt import Interrupt
from ludus.bots.resolve import BotSource
from ludus.compat.botzone.adapters.adapter import BotzoneAdapter
from ludus.compat.botzone.adapters.table import GENERIC_ADAPTER, find_adapter
from ludus.compat.botzone.bot_formats import JsonFormat, MessageFormat, SimpleFormat
from ludus.compat.botzone.bot_player import BotzonePlayer
from ludus.compat.botzone.bot_program import adapt_build, build_program
from ludus.compat.botzone.bot_recognition import speaks_json, speaks_simply
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.sandbox import Limits


def _create_player(
    adapter: BotzoneAdapter,
    messages: Callable[[BotzoneAdapter], MessageFormat],
    source: BotSource,
    limits: Limits,
    jail: str | None,
    interrupt: Interrupt | None,
) -> Player:
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
    adapter = find_adapter(game)
    return _create_player(adapter, lambda _: JsonFormat(), source, limits, jail, interrupt)


def create_simple_player(
    source: BotSource,
    game: Game,
    *,
    limits: Limits,
    jail: str | None,
    interrupt: Interrupt | None,
) -> Player:
    """The player of a bot with simple interaction. LudusError if the game has none."""
    adapter = find_adapter(game)
    if not adapter.has_simple_interaction:
        raise LudusError(
            f"{source.name} uses Botzone's simple interaction, which {game.name} does not have;"
            " bots of this game exchange JSON",
            f"{source.name} 使用 Botzone 的简单交互，而 {game.name} 不支持；"
            "此游戏的 AI 使用 JSON 交互",
        )
    return _create_player(adapter, SimpleFormat, source, limits, jail, interrupt)


def create_generic_player(
    source: BotSource,
    game: Game,
    *,
    limits: Limits,
    jail: str | None,
    interrupt: Interrupt | None,
) -> Player:
    """The player of a bot that gets the request of all games, even where Botzone has a format of
    its own."""
    return _create_player(GENERIC_ADAPTER, lambda _: JsonFormat(), source, limits, jail, interrupt)


def _debug_with(
    choose_adapter: Callable[[Game], BotzoneAdapter],
    messages: Callable[[BotzoneAdapter], MessageFormat],
) -> CreateDebugPlayer:
    """How Python bots of one of these protocols run inside a debugger."""

    def create(
        source: BotSource, game: Game, main: Path, enter_thread: Callable[[], None]
    ) -> Player:
        from ludus.compat.botzone.debug_player import BotzoneDebugPlayer

        adapter = choose_adapter(game)
        return BotzoneDebugPlayer(source, adapter, messages(adapter), main, enter_thread)

    return create


JSON_PROTOCOL = InstalledProtocol(
    create_json_player, speaks_json, adapt_build, _debug_with(find_adapter, lambda _: JsonFormat())
)
SIMPLE_PROTOCOL = InstalledProtocol(
    create_simple_player, speaks_simply, adapt_build, _debug_with(find_adapter, SimpleFormat)
)
GENERIC_PROTOCOL = InstalledProtocol(
    create_generic_player,
    None,
    adapt_build,
    _debug_with(lambda _: GENERIC_ADAPTER, lambda _: JsonFormat()),
)
