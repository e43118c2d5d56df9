"""Makes players out of sources: trusted ones here, strangers in jails."""

from __future__ import annotations

from ludus.bots.load import load
from ludus.bots.players.base import Player
from ludus.bots.players.foreign import ProgramPlayer
from ludus.bots.players.interrupt import Interrupt
from ludus.bots.players.local import LocalPlayer
from ludus.bots.players.process import ProcessPlayer
from ludus.bots.protocol import NAME
from ludus.bots.resolve import Source
from ludus.games.base import Game
from ludus.sandbox import Limits


def enter(
    source: Source,
    game: Game,
    *,
    isolate: bool | None = None,
    limits: Limits | None = None,
    level: str | None = None,
    interrupt: Interrupt | None = None,
) -> Player:
    """A player for one match, compiled if need be. ``isolate``: by default all but house bots.
    ``interrupt`` breaks off the wait for a bot that speaks our own protocol, isolated."""
    path = source.path
    if isolate is None:
        isolate = not source.trusted
    if path is not None and not isolate:
        argument = source.recipe.argument
        return LocalPlayer(source.name, lambda: load(path, game, argument), source.digest)
    limits = limits or Limits()
    program = source.recipe.program(limits, level)
    if game.speaks != NAME:
        return ProgramPlayer(source.name, program, digest=source.digest, level=level)
    return ProcessPlayer(
        source.name,
        program,
        digest=source.digest,
        limits=limits,
        level=level,
        interrupt=interrupt,
    )
