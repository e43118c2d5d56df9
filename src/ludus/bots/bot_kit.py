"""A bot as a folder to work in: its source, a test, a README, and settings of editors.

``ludus new bot --folder`` writes it, and the page of a game offers it for download.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ludus.bots.bot_templates import BotTemplate, fill_template, to_one_line
from ludus.bots.languages.registry import BY_NAME
from ludus.bots.manifest import MANIFEST_NAME
from ludus.bots.vscode_settings import make_vscode_settings
from ludus.games.base import Game
from ludus.lang import Text
from ludus.packages import DISTRIBUTION_NAME

TEST_NAME = "test_bot.py"
ZIP_DATE = (2020, 1, 1, 0, 0, 0)
"""The time of every file in a zip, so that the same kit has the same bytes."""
CONTAINER_IMAGE = "mcr.microsoft.com/devcontainers/python:3.12"
EDITOR_EXTENSIONS = {
    "python": ["ms-python.python"],
    "cpp": ["ms-vscode.cpptools"],
    "javascript": [],
}
TEST_TEXT = '''\
"""__ABOUT__

ludus python -m unittest
"""

import unittest
from pathlib import Path

import ludus

GAME = __GAME__
BOT = str(Path(__file__).parent)
RIVALS = __RIVALS__


class BotTest(unittest.TestCase):
    def test_it_plays_whole_bouts_on_every_seat_without_faults(self):
        for seat in range(len(RIVALS) + 1):
            bots = [*RIVALS[:seat], BOT, *RIVALS[seat:]]
            with self.subTest(seat=seat):
                bout = ludus.play(GAME, *bots, seed=seat)
                self.assertEqual(bout.faults, [], bout.reason)


if __name__ == "__main__":
    unittest.main()
'''
TEST_ABOUT = Text(
    "Tests of the bot: it plays whole bouts without a fault. Add your own, and run them with",
    "AI 的测试：完整地下完对局而不出异常。可以加上自己的测试，运行方法：",
)
README_TEXT = Text(
    """# __NAME__

A bot for __TITLE__, made with Ludus. Install Ludus once: `pip install __PACKAGE__`.
With a clone of Ludus instead, write the path of its `ludus`, such as `../ludus/ludus`, or link it
into a folder of your `PATH`.

| command | what it does |
|---|---|
| `ludus play __GAME__ . __RIVALS__ --watch` | plays a bout and shows the board |
| `ludus check . --game __GAME__` | plays the bot in odd situations and says what is wrong |
| `ludus match __GAME__ . __RIVALS__ --bouts 100` | says which bot is stronger, and by how much |
| `ludus python -m unittest` | runs the tests in `test_bot.py` |
| `ludus why` | explains why the last bout was lost |
| `ludus serve` | opens the page: rules, your bouts, the docs under /docs |

| file | what it is |
|---|---|
| `__MAIN__` | the bot: change this |
| `ludus.toml` | its name, its game and its language |
| `test_bot.py` | its tests |
| `.vscode/` | tasks (Terminal, Run Task) and, for Python, the debugger (F5) in VS Code |
| `.devcontainer/` | a container with everything installed, for VS Code and GitHub Codespaces |
""",
    """# __NAME__

《__TITLE__》的 AI，用弈场（Ludus）编写。先安装一次弈场：`pip install __PACKAGE__`。
若用的是克隆的仓库，请写出其中 `ludus` 的路径（如 `../ludus/ludus`），或把它链接到 `PATH` 中。

| 命令 | 作用 |
|---|---|
| `ludus play __GAME__ . __RIVALS__ --watch` | 下一局并显示棋盘 |
| `ludus check . --game __GAME__` | 让 AI 面对各种特殊情况，指出问题 |
| `ludus match __GAME__ . __RIVALS__ --bouts 100` | 比较哪个 AI 更强、强多少 |
| `ludus python -m unittest` | 运行 `test_bot.py` 里的测试 |
| `ludus why` | 解释最近一局为什么输 |
| `ludus serve` | 打开网页：规则、你的对局，文档在 /docs |

| 文件 | 内容 |
|---|---|
| `__MAIN__` | AI 本身：修改它 |
| `ludus.toml` | 名称、游戏和编程语言 |
| `test_bot.py` | 测试 |
| `.vscode/` | VS Code 的任务（终端 → 运行任务）；Python 还可以调试（F5） |
| `.devcontainer/` | 装好一切的容器，用于 VS Code 和 GitHub Codespaces |
""",
)


def make_bot_kit(
    game: Game,
    template: BotTemplate,
    name: str,
    lang: str,
    *,
    game_name: str = "",
    python: str = "",
) -> dict[Path, str]:
    """The files of a bot's folder by their path in it, with texts in one language.

    ``game_name`` is what the user typed for the game; ``python`` is the interpreter with Ludus for
    the settings of the editor, by default the one that is chosen there.
    """
    called = game_name or game.name
    main = BY_NAME[template.language].main
    rivals = [next(iter(game.bots()), "")] * (len(game.seats) - 1)
    is_python = template.language == "python"
    return {
        Path(main): template.fill(game, lang, name, game_name=called),
        Path(MANIFEST_NAME): _manifest(game, template, name, main),
        Path("README.md"): _readme(game, name, lang, called, rivals, main),
        Path(TEST_NAME): _test(lang, called, rivals),
        Path(".devcontainer", "devcontainer.json"): _container(template.language),
        **make_vscode_settings(called, rivals, lang, python=python, is_python=is_python),
    }


def zip_kit(files: Mapping[Path, str], name: str) -> bytes:
    """The files as a zip with one folder of that name."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as box:
        for path, text in sorted(files.items()):
            entry = zipfile.ZipInfo(str(Path(name, path)), ZIP_DATE)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            box.writestr(entry, text.encode())
    return packed.getvalue()


def _manifest(game: Game, template: BotTemplate, name: str, main: str) -> str:
    facts = {
        "name": to_one_line(name)[:60],
        "game": game.name,
        "language": template.language,
        "main": main,
    }
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in facts.items()]
    return "\n".join(lines) + "\n"


def _readme(game: Game, name: str, lang: str, called: str, rivals: list[str], main: str) -> str:
    title = to_one_line(game.title.get(lang) or game.title["en"])
    words = {
        "__NAME__": to_one_line(name),
        "__TITLE__": title,
        "__PACKAGE__": DISTRIBUTION_NAME,
        "__GAME__": called,
        "__RIVALS__": " ".join(rival or "." for rival in rivals),
        "__MAIN__": main,
    }
    return fill_template(README_TEXT[lang], words)


def _test(lang: str, called: str, rivals: list[str]) -> str:
    named = ", ".join(json.dumps(rival) if rival else "BOT" for rival in rivals)
    words = {"__ABOUT__": TEST_ABOUT[lang], "__GAME__": json.dumps(called, ensure_ascii=False)}
    return fill_template(TEST_TEXT, {**words, "__RIVALS__": f"[{named}]"})


def _container(language: str) -> str:
    settings: dict[str, Any] = {
        "name": "Ludus",
        "image": CONTAINER_IMAGE,
        "postCreateCommand": f"pip install {DISTRIBUTION_NAME}",
        "customizations": {"vscode": {"extensions": EDITOR_EXTENSIONS[language]}},
    }
    if language == "javascript":
        settings["features"] = {"ghcr.io/devcontainers/features/node:1": {}}
    return json.dumps(settings, indent=2) + "\n"
