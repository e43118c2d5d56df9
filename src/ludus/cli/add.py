"""``ludus add``: packages for bots and games, in the environment that Ludus runs in."""

from __future__ import annotations

import codecs
import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import IO

from ludus.cli.command import argument, command, pass_through_settings
from ludus.errors import LudusError

NO_NEWS = "Requirement already satisfied"
"""How pip begins its lines, one for every package, about what need not be done."""


@command(
    en="Install packages where Ludus and its bots find them: what pip install takes, such as a"
    " name, 'ludus-arena[learn]', or -e FOLDER for a game of yours.",
    zh="把软件包安装到 Ludus 及其 AI 能找到的地方：写法与 pip install 相同，例如包名、"
    "'ludus-arena[learn]'，或用 -e 文件夹 安装自己的游戏。",
    **pass_through_settings(),
)
@argument(
    "packages",
    nargs=-1,
    required=True,
    metavar="PACKAGE…",
    en="What to install; options go to pip.",
    zh="要安装的软件包；选项会传给 pip。",
)
def COMMAND(packages: tuple[str, ...]) -> int:
    if importlib.util.find_spec("pip") is None:
        raise LudusError(
            f"{sys.executable} has no pip to install packages with; run python -m ensurepip",
            f"{sys.executable} 没有 pip，无法安装；请运行 python -m ensurepip",
        )
    command = [sys.executable, "-P", "-m", "pip", "install", *packages]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as pip:
        assert pip.stdout is not None
        for text in drop_no_news(read_as_it_comes(pip.stdout)):
            print(text, end="", flush=True)
    return 2 if pip.returncode else 0


def read_as_it_comes(stream: IO[bytes]) -> Iterator[str]:
    """What is written to a pipe, without waiting for the end of a line."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    while data := os.read(stream.fileno(), 65536):
        yield decoder.decode(data)


def drop_no_news(pieces: Iterable[str]) -> Iterator[str]:
    """What pip prints, without its lines of no news. The rest is passed on at once: pip may ask for
    a name or a password, and a question ends without a line break."""
    line, shown = "", 0
    for piece in pieces:
        for part in piece.splitlines(keepends=True):
            line += part
            if not line.startswith(NO_NEWS[: len(line)]):
                yield line[shown:]
                shown = len(line)
            if line.endswith("\n"):
                line, shown = "", 0
    if not line.startswith(NO_NEWS):
        yield line[shown:]
