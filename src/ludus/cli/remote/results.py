"""``ludus remote results``: what a bot has played."""

from __future__ import annotations

from typing import Any

from ludus.cli.command import argument, command, option
from ludus.cli.options import JSON
from ludus.cli.param_types import Count, GameName


@command(en="The newest bouts of a bot of the arena.", zh="弈场中某个 AI 最近的对局。")
@argument("game", type=GameName(), en="What it plays.", zh="游戏。")
@argument("bot", en="Its name.", zh="名称。")
@option("--limit", type=Count(1), default=20, en="How many (20).", zh="局数（20）。")
@JSON
def COMMAND(game: str, bot: str, limit: int, as_json: bool) -> int:
    from ludus.cli import output
    from ludus.cli.remote.answers import Bouts
    from ludus.cli.remote.http_client import known
    from ludus.cli.remote.naming import bot_named

    remote = known()
    found = bot_named(remote, game, bot)
    path = f"/api/bots/{found.id}/bouts?limit={min(limit, 100)}"
    if as_json:
        output.print_json(remote.get(path, dict[str, Any]).get("items"))
        return 0
    for bout in remote.get(path, Bouts).items:
        players = " – ".join(
            f"{player.name} {player.score:g}" + (f" ({player.fault.kind})" if player.fault else "")
            for player in bout.players
        )
        print(f"{bout.at[:16]}  {players}  {remote.url}/watch/{bout.film}")
    return 0
