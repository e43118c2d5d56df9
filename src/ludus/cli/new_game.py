"""``ludus new game``: writes a game with its tests."""

from __future__ import annotations

import shlex
from pathlib import Path

from ludus.called import program_name
from ludus.cli.command import argument, command, option
from ludus.cli.param_types import ChoiceParam, FolderParam
from ludus.errors import LudusError
from ludus.lang import tr


@command(en="Write a small working game with its tests.", zh="写出一个可运行的小游戏及其测试。")
@argument(
    "name",
    en="The game's name: lower-case letters, digits and underscores.",
    zh="游戏名：小写字母、数字与下划线。",
)
@option(
    "--in",
    "folder",
    type=FolderParam(),
    default=".",
    en="The parent folder (the current one).",
    zh="放在哪个文件夹（当前文件夹）。",
)
@option("--title", en="The title shown to people.", zh="显示给人看的标题。")
@option(
    "--saiblo",
    is_flag=True,
    en="Write the rules as a separate program with Saiblo's protocol.",
    zh="以独立程序（Saiblo 协议的游戏逻辑）编写规则。",
)
@option(
    "--language",
    type=ChoiceParam(("python", "cpp")),
    en="With --saiblo: the logic's programming language (python).",
    zh="与 --saiblo 合用：逻辑的编程语言（python）。",
)
def COMMAND(name: str, folder: str, title: str | None, saiblo: bool, language: str | None) -> int:
    from ludus.cli.new import relative_path
    from ludus.cli.scaffold import write_game, write_saiblo_game

    place = Path(folder).expanduser()
    if language and not saiblo:
        raise LudusError(
            "--language requires --saiblo; other games are written in Python",
            "--language 须与 --saiblo 合用；其他游戏用 Python 编写",
        )
    if saiblo:
        written = write_saiblo_game(name, place, title, language or "python")
    else:
        written = write_game(name, place, title)
    for path in written:
        print(tr(f"written: {relative_path(path)}", f"已写入：{relative_path(path)}"))
    if saiblo:
        _suggest_saiblo(relative_path(place / name))
        return 0
    project = next((relative_path(p.parent) for p in written if p.name == "pyproject.toml"), None)
    print(tr("\nTry next:", "\n接下来可以试试："))
    if project:
        print(f"  {program_name()} add -e {shlex.quote(f'{project}[test]')}")
    print(f"  {program_name()} play {name} random random")
    if project:
        print(f"  {program_name()} python -m pytest {shlex.quote(project)}")
    return 0


def _suggest_saiblo(home: str) -> None:
    logic = next(Path(home).glob("logic.*"))
    print(tr("\nTry next:", "\n接下来可以试试："))
    print(f"  {program_name()} judge {logic} {home}/ais/careful.py {home}/ais/dice.cpp replay.json")
    print(f"  {program_name()} play {_as_path(home)} careful dice")
    print(f"  {program_name()} new bot mine.py --game {_as_path(home)}")


def _as_path(home: str) -> str:
    """A folder as a path that is not mistaken for a game's name."""
    return home if "/" in home else f"./{home}"
