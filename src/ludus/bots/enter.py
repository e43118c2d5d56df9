"""Makes players out of sources: trusted ones here, strangers in processes of their own."""

from __future__ import annotations

import os
from pathlib import Path

from ludus.bots.find import Source
from ludus.bots.load import load
from ludus.bots.local import LocalPlayer
from ludus.bots.player import Player
from ludus.bots.process import ProcessPlayer
from ludus.bots.sandbox import Limits, Program, python_bot
from ludus.games.base import Game


def enter(
    source: Source,
    game: Game,
    *,
    isolate: bool | None = None,
    limits: Limits | None = None,
    level: str | None = None,
) -> Player:
    """A player for one match. ``isolate``: by default everything but the house bots."""
    path = source.path
    if isolate is None:
        isolate = not source.trusted
    if path is not None and not isolate:
        return LocalPlayer(source.name, lambda: load(path, game), source.digest)
    if path is None:
        named = [Path(word).absolute() for word in source.argv if Path(word).exists()]
        shown = [*named, *(file.resolve().parent.parent for file in named[:1])]
        program = Program(
            argv=source.argv, files={str(file): file for file in shown}, cwd=os.getcwd()
        )
    else:
        program = python_bot(path)
    return ProcessPlayer(source.name, program, digest=source.digest, limits=limits, level=level)
