"""Bots of Botzone that tests write themselves, and bouts of Reversi with them."""

import textwrap
from pathlib import Path

from ludus.bots.players.base import Player
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot_at, resolve_house_bot
from ludus.games import Clock, get
from ludus.match import play
from ludus.match.record import Record
from ludus.sandbox import Limits

GAME = get("reversi")
EXAMPLES = Path(__file__).parents[2] / "examples" / "botzone"
RULES = (EXAMPLES / "reversi_traditional.py").read_text().partition("\nhistory = ")[0]
"""The example's functions, without its main program."""
MARKER = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"


def write_bot(folder: Path, code: str, name: str = "bot.py") -> Path:
    path = folder / name
    path.write_text(textwrap.dedent(code))
    return path


def player(path: Path, limits: Limits | None = None) -> Player:
    return create_player(resolve_bot_at(path, GAME), GAME, limits=limits)


def house(name: str = "random") -> Player:
    return create_player(resolve_house_bot(name, GAME), GAME)


def bout(*players: Player, clock: Clock | None = None, seed: int = 3) -> Record:
    try:
        return play(GAME, GAME.Options(), seed, list(players), clock or GAME.clock)
    finally:
        for each in players:
            each.close()
