"""``ludus remote ladder``: shows a ladder of a server."""

from __future__ import annotations

from typing import Any

from ludus.cli.command import argument, command
from ludus.cli.options import JSON_OPTION
from ludus.cli.param_types import GameParam


@command(en="Show the ladder of a game on the server.", zh="弈场中某个游戏的天梯。")
@argument("game", type=GameParam(), en="The game.", zh="游戏。")
@JSON_OPTION
def COMMAND(game: str, as_json: bool) -> int:
    from urllib.parse import quote

    from ludus.cli import output
    from ludus.cli.remote.answers import LadderReply
    from ludus.cli.remote.http_client import open_saved_remote

    remote, path = open_saved_remote(), f"/api/ladders/{quote(game)}"
    if as_json:
        output.print_json(remote.get(path, dict[str, Any]))
        return 0
    for row in remote.get(path, LadderReply).rows:
        name = row.bot.name + (f" #{row.version.number}" if row.version else "")
        half = (row.high - row.low) / 2
        rating = f"{row.elo:7.0f} ±{half:<4.0f} {row.bouts:>6}"
        print(f"{row.place:>4}  {name:32} {rating}  {row.bot.owner.name}")
    return 0
