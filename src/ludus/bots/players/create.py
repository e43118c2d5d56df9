"""Creates players: house bots in this process, all others in jails, trusted programs without."""

from __future__ import annotations

from ludus.bots.bot_protocols import choose_game_protocol, find_protocol
from ludus.bots.load import load_bot
from ludus.bots.players.base import Player
from ludus.bots.players.foreign import ForeignPlayer
from ludus.bots.players.interrupt import Interrupt
from ludus.bots.players.local import LocalPlayer
from ludus.bots.players.process import ProcessPlayer
from ludus.bots.protocol import PROTOCOL_NAME
from ludus.bots.resolve import BotSource
from ludus.games.base import Game
from ludus.sandbox import Limits


def needs_process(source: BotSource, isolate: bool | None = None) -> bool:
    """Whether a bot plays in a process of its own, not in the referee's."""
    return source.path is None or (not source.trusted if isolate is None else isolate)


def create_player(
    source: BotSource,
    game: Game,
    *,
    isolate: bool | None = None,
    limits: Limits | None = None,
    jail: str | None = None,
    interrupt: Interrupt | None = None,
) -> Player:
    """A player for one match, compiled if needed.

    ``isolate``: whether it gets a process of its own; by default all but house bots do.
    ``interrupt`` aborts the wait for a bot in a process.
    """
    if (protocol := _choose_protocol(source, game)) != PROTOCOL_NAME:
        create = find_protocol(protocol).create_player
        return create(source, game, limits=limits or Limits(), jail=jail, interrupt=interrupt)
    path = source.path
    if path is not None and not needs_process(source, isolate):
        argument = source.build_spec.argument
        return LocalPlayer(source.name, lambda: load_bot(path, game, argument), source.digest)
    limits = limits or Limits()
    program = source.build_spec.build_program(limits, jail)
    if game.speaks != PROTOCOL_NAME:
        return ForeignPlayer(source.name, program, digest=source.digest, jail=jail)
    return ProcessPlayer(
        source.name,
        program,
        digest=source.digest,
        limits=limits,
        jail=jail,
        unjailed=source.unjailed,
        interrupt=interrupt,
    )


def _choose_protocol(source: BotSource, game: Game) -> str:
    """What a bot speaks in a game; ludus/1 also where only the game's turn source knows it."""
    if source.protocol != PROTOCOL_NAME or game.speaks == PROTOCOL_NAME:
        return source.protocol
    spec = source.build_spec
    return choose_game_protocol(game, spec.language, spec.code)
