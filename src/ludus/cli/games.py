"""``ludus games``: lists the games."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from ludus.cli import output
from ludus.cli.command import argument, command
from ludus.cli.errors import print_error
from ludus.cli.options import JSON_OPTION
from ludus.cli.param_types import GameParam
from ludus.games.describe import option_help
from ludus.lang import tr, translate

if TYPE_CHECKING:
    from ludus.games.base import Game

BOUNDS_WIDTH = 24
"""Columns for the values that an option may have; more of them are wrapped."""


@command(en="List the games with their seats and options.", zh="游戏及其座位、选项。")
@argument(
    "game",
    type=GameParam(),
    required=False,
    en="Only this game; all if not given.",
    zh="只列出这个游戏；默认列出全部。",
)
@JSON_OPTION
def COMMAND(game: str | None, as_json: bool) -> int:
    from ludus.games.describe import describe_game
    from ludus.games.registry import load_games, names, open_game, sample_names

    games, errors = load_games((*names(), *sample_names())) if not game else ([open_game(game)], [])
    if as_json:
        described = [describe_game(each) for each in games]
        output.print_json({"games": described, "errors": [error.as_json() for error in errors]})
    else:
        for number, each in enumerate(games):
            if number:
                print()
            _print_game(each)
    for error in errors:
        print_error(str(error), error.detail)
    return 1 if errors else 0


def _print_game(game: Game) -> None:
    from rich.table import Table
    from rich.text import Text

    from ludus.bots.resolve import list_house_bots

    console = output.stdout_console()
    console.print(Text.assemble((game.name, "bold"), "  ", translate(game.title)))
    seats = tr(", ", "、").join(game.seat_names)
    clock = game.clock.budget
    bots = list_house_bots(game)
    console.print(
        tr(
            f"  seats: {seats}; {clock:g} s for each bot; house bots: {', '.join(bots)}",
            f"  座位：{seats}；每方 {clock:g} 秒；自带 AI：{'、'.join(bots)}",
        ),
        soft_wrap=True,
    )
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", max_width=BOUNDS_WIDTH)
    table.add_column(overflow="fold")
    for field in dataclasses.fields(game.Options):
        default = ",".join(map(str, field.default)) if field.default == () else str(field.default)
        table.add_row(
            Text(f"  -o {field.name}={default}"),
            Text(_bounds(field), "dim"),
            translate(option_help(field)),
        )
    console.print(table)


def _bounds(field: dataclasses.Field[Any]) -> str:
    if choices := field.metadata.get("choices"):
        return " | ".join(choices)
    low, high = field.metadata.get("low"), field.metadata.get("high")
    return "" if low is None and high is None else f"{low}…{high}"
