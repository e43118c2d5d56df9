"""Records of short bouts."""

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games.registry import get
from ludus.match import play
from ludus.match.record import Record


def bout(game: str = "reversi", bots: tuple[str, ...] = ("greedy", "random")) -> Record:
    rules = get(game)
    players = [create_player(resolve_bot(bot, rules), rules) for bot in bots]
    return play(rules, rules.Options(), 3, players)
