"""Bouts that begin with random plies."""

from typing import Any

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games import get
from ludus.games.openings import resolve_openings
from ludus.match.record import Record
from ludus.match.referee import play

SLOW_BOTS = ("strong", "patterns", "alphabeta", "two_ply")


def play_from_opening(name: str, options: dict[str, Any], seed: int = 0) -> Record:
    """A bout between house bots after five random plies; with an odd seed they change seats."""
    game = get(name)
    parsed = game.Options.parse(options)
    bots = [bot for bot in game.bots() if bot not in SLOW_BOTS][:2]
    players = [
        create_player(resolve_bot(bot, game), game) for bot in bots[:: -1 if seed % 2 else 1]
    ]
    opening = resolve_openings("random:5", game, parsed).draw(seed)
    return play(game, parsed, seed, players, opening=opening)
