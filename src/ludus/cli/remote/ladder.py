"""``ludus remote ladder``: who is ahead."""

from __future__ import annotations

from ludus.cli.command import argument, command
from ludus.cli.options import JSON
from ludus.cli.values import GameName


@command(en="The ladder of a game of the arena.", zh="弈场中某个游戏的天梯。")
@argument("game", type=GameName(), en="Which game.", zh="游戏。")
@JSON
def COMMAND(game: str, as_json: bool) -> int:
    from urllib.parse import quote

    from ludus.cli import screen
    from ludus.cli.remote.wire import known

    told = known().get(f"/api/ladders/{quote(game)}")
    if as_json:
        screen.print_json(told)
        return 0
    for row in told["rows"]:
        version = f" #{row['version']['number']}" if row["version"] else ""
        name = f"{row['bot']['name']}{version}"
        half = (row["high"] - row["low"]) / 2
        owner = row["bot"]["owner"]["name"]
        rating = f"{row['elo']:7.0f} ±{half:<4.0f} {row['bouts']:>6}"
        print(f"{row['place']:>4}  {name:32} {rating}  {owner}")
    return 0
