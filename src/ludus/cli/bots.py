"""``ludus bots``: who can be played against at once."""

from __future__ import annotations

from ludus.cli import output
from ludus.cli.command import command
from ludus.cli.command_registry import called
from ludus.cli.options import GAME, JSON
from ludus.lang import tr, words


@command(en="The house bots of a game.", zh="游戏自带的 AI。")
@GAME
@JSON
def COMMAND(game: str, as_json: bool) -> int:
    from ludus.bots import engine_bots
    from ludus.bots.describe import description
    from ludus.games.registry import open_game

    rules = open_game(game)
    house = {**rules.bots(), **engine_bots.paths(rules)}
    described = {name: words(description(path)) for name, path in house.items()}
    if as_json:
        output.print_json({"game": game, "bots": described})
        return 0
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2, 0, 0))
    for name, text in described.items():
        table.add_row(Text(name, "bold"), text)
    console = output.out()
    console.print(table)
    console.print()
    names = " ".join(list(described)[:2]) if len(described) > 1 else "A B"
    console.print(
        tr(f"Try: {called()} play {game} {names}", f"试试：{called()} play {game} {names}")
    )
    return 0
