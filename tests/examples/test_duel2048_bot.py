"""The example bot of Duel 2048 works at first try, and better than chance."""

from pathlib import Path

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games import get
from ludus.match.series import series

BOT = Path(__file__).parents[2] / "examples" / "duel2048_bot.py"
GAME = get("duel2048")


def test_the_example_plays_both_seats_and_beats_random() -> None:
    players = [create_player(resolve_bot(bot, GAME), GAME) for bot in (str(BOT), "random")]
    played = list(series(GAME, GAME.Options(), players, 6, seed=1))
    assert [bout.record.verdict for bout in played] == ["rules"] * 6
    assert sum(bout.score(0) for bout in played) >= 4
