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


def fixed_bout(game: str = "reversi", bots: tuple[str, ...] = ("greedy", "random")) -> Record:
    """The same bout every time, although its bots draw random numbers."""
    rules = get(game)
    players = [create_player(resolve_bot(bot, rules), rules) for bot in bots]
    seeds = [f"{seat + 1:02x}" * 16 for seat in range(len(bots))]
    return play(rules, rules.Options(), 3, players, random_seeds=seeds)
