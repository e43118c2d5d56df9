"""``ludus new game``: a game with its tests."""

from __future__ import annotations

from pathlib import Path

from ludus.cli.command import argument, command, option
from ludus.cli.contents import called
from ludus.cli.values import Folder
from ludus.lang import tr


@command(en="Write a small working game with its tests.", zh="写出一个可运行的小游戏及其测试。")
@argument(
    "name", en="The game's name: lower-case letters and digits.", zh="游戏名：小写字母与数字。"
)
@option("--in", "folder", type=Folder(), default=".", en="Where (here).", zh="放在哪里（此处）。")
@option("--title", en="What people call it.", zh="人们如何称呼它。")
def COMMAND(name: str, folder: str, title: str | None) -> int:
    from ludus.cli.new import shown
    from ludus.cli.scaffold import write_game

    written = write_game(name, Path(folder).expanduser(), title)
    for path in written:
        print(tr(f"written: {shown(path)}", f"已写入：{shown(path)}"))
    project = next((shown(p.parent) for p in written if p.name == "pyproject.toml"), None)
    print(tr("\nTry next:", "\n接下来可以试试："))
    if project:
        print(f"  pip install -e {project}")
    print(f"  {called()} games")
    print(f"  {called()} playthrough {name}")
    return 0
