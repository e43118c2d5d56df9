"""Makes players out of sources: trusted ones here, strangers in processes of their own."""

from __future__ import annotations

from ludus.bots.find import Source
from ludus.bots.load import load
from ludus.bots.local import LocalPlayer
from ludus.bots.player import Player
from ludus.bots.process import Limits, ProcessPlayer
from ludus.games.base import Game


def enter(
    source: Source, game: Game, *, isolate: bool | None = None, limits: Limits | None = None
) -> Player:
    """A player for one match. ``isolate``: by default everything but the house bots."""
    path = source.path
    if isolate is None:
        isolate = not source.trusted
    if path is not None and not isolate:
        return LocalPlayer(source.name, lambda: load(path, game), source.digest)
    return ProcessPlayer(
        source.name, file=path, argv=source.argv, digest=source.digest, limits=limits
    )
