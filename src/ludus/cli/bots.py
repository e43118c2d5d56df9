"""``ludus bots``: who can be played against at once."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from ludus.cli import screen
from ludus.cli.command import command
from ludus.cli.contents import called
from ludus.cli.options import GAME, JSON
from ludus.lang import tr

CHINESE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff]")


@command(en="The house bots of a game.", zh="游戏自带的 AI。")
@GAME
@JSON
def COMMAND(game: str, as_json: bool) -> int:
    from ludus.games.registry import get

    house = get(game).bots()
    described = {name: about(path) for name, path in house.items()}
    if as_json:
        screen.print_json({"game": game, "bots": described})
        return 0
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2, 0, 0))
    for name, text in described.items():
        table.add_row(Text(name, "bold"), text)
    console = screen.out()
    console.print(table)
    console.print()
    names = " ".join(list(described)[:2]) if len(described) > 1 else "A B"
    console.print(
        tr(f"Try: {called()} play {game} {names}", f"试试：{called()} play {game} {names}")
    )
    return 0


def about(path: Path) -> str:
    """The first line of a bot's docstring, in the reader's language if it has both."""
    try:
        text = ast.get_docstring(ast.parse(path.read_bytes())) or ""
    except (OSError, SyntaxError, ValueError):
        return ""
    return in_language(text.strip().partition("\n")[0])


def in_language(line: str) -> str:
    """``English. 中文。`` → the half for the reader."""
    chinese = CHINESE.search(line)
    if not chinese or not (english := line[: chinese.start()].strip()):
        return line
    return tr(english, line[chinese.start() :].strip())
