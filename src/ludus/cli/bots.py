"""``ludus bots``: lists the house bots of a game."""

from __future__ import annotations

from ludus.called import program_name
from ludus.cli import output
from ludus.cli.command import command
from ludus.cli.options import GAME_ARGUMENT, JSON_OPTION
from ludus.lang import tr, translate


@command(en="List the house bots of a game.", zh="游戏自带的 AI。")
@GAME_ARGUMENT
@JSON_OPTION
def COMMAND(game: str, as_json: bool) -> int:
    from ludus.bots import engine_bots
    from ludus.bots.describe import read_description
    from ludus.games.registry import open_game

    rules = open_game(game)
    house = {**rules.bots(), **engine_bots.engine_paths(rules)}
    described = {
        name: translate(engine_bots.describe_engine_level(name) or read_description(path))
        for name, path in house.items()
    }
    if as_json:
        output.print_json({"game": game, "bots": described})
        return 0
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2, 0, 0))
    for name, text in described.items():
        table.add_row(Text(name, "bold"), text)
    console = output.stdout_console()
    console.print(table)
    console.print()
    names = " ".join(list(described)[:2]) if len(described) > 1 else "A B"
    console.print(
        tr(
            f"Try: {program_name()} play {game} {names}",
            f"试试：{program_name()} play {game} {names}",
        )
    )
    return 0
