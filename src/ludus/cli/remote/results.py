"""``ludus remote results``: lists the bouts of a bot."""

from __future__ import annotations

from typing import Any

from ludus.cli.command import argument, command, option
from ludus.cli.options import JSON_OPTION
from ludus.cli.param_types import GameParam, IntegerParam


@command(en="List the newest bouts of a bot of the server.", zh="弈场中某个 AI 最近的对局。")
@argument("game", type=GameParam(), en="The game it plays.", zh="游戏。")
@argument("bot", en="Its name.", zh="名称。")
@option("--limit", type=IntegerParam(1), default=20, en="Number of bouts (20).", zh="局数（20）。")
@JSON_OPTION
def COMMAND(game: str, bot: str, limit: int, as_json: bool) -> int:
    from ludus.cli import output
    from ludus.cli.remote.answers import BoutPageReply
    from ludus.cli.remote.http_client import open_saved_remote
    from ludus.cli.remote.naming import find_bot
    from ludus.server.page_links import page_link

    remote = open_saved_remote()
    found = find_bot(remote, game, bot)
    path = f"/api/bots/{found.id}/bouts?limit={min(limit, 100)}"
    if as_json:
        output.print_json(remote.get(path, dict[str, Any]).get("items"))
        return 0
    for bout in remote.get(path, BoutPageReply).items:
        players = " – ".join(
            f"{player.name} {player.score:g}" + (f" ({player.fault.kind})" if player.fault else "")
            for player in bout.players
        )
        link = page_link("/watch/:id", bout.film, base=remote.url)
        print(f"{bout.at[:16]}  {players}  {link}")
    return 0
