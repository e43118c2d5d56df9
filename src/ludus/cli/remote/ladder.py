"""``ludus remote ladder``: shows a ladder of a server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ludus.cli.command import argument, command
from ludus.cli.options import JSON_OPTION
from ludus.cli.param_types import GameParam
from ludus.lang import tr

if TYPE_CHECKING:
    from rich.table import Table

    from ludus.cli.remote.answers import LadderRowReply


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
    rows = remote.get(path, LadderReply).rows
    if not rows:
        print(
            tr(
                f"the ladder of {game} is empty; ludus remote upload FILE --game {game} --enter"
                " uploads a bot and enters it",
                f"{game} 的天梯上还没有 AI；ludus remote upload 文件 --game {game} --enter"
                " 上传并参加",
            )
        )
        return 0
    output.stdout_console().print(_make_table(rows))
    return 0


def _make_table(rows: Sequence[LadderRowReply]) -> Table:
    from rich.text import Text

    from ludus.cli.tables import make_table
    from ludus.escape import escape_to_one_line
    from ludus.rating.elo import format_signed

    table = make_table()
    table.add_column(tr("place", "名次"), justify="right")
    table.add_column(tr("bot", "AI"))
    table.add_column("Elo", justify="right")
    table.add_column(tr("bouts", "局数"), justify="right")
    table.add_column(tr("owner", "所有者"))
    for row in rows:
        name = row.bot.name + (f" #{row.version.number}" if row.version else "")
        rating = f"{format_signed(row.elo, sign='')} ±{(row.high - row.low) / 2:.0f}"
        table.add_row(
            str(row.place) if row.bouts else "",
            Text(escape_to_one_line(name)),
            rating if row.bouts else "",
            str(row.bouts),
            Text(escape_to_one_line(row.bot.owner.name)),
        )
    return table
