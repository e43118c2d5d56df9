"""``ludus python``: the interpreter that Ludus runs in."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from ludus.cli.command import argument, command, passing_on


@command(
    en="Run Python as Ludus does, with everything that is installed beside it: a script, -m MODULE,"
    " -c CODE, or nothing to type commands.",
    zh="以 Ludus 所用的 Python 运行（可用其中安装的一切）：脚本、-m 模块、-c 代码，或直接交互。",
    **passing_on(),
)
@argument(
    "words", nargs=-1, metavar="[WORD…]", en="What Python is told.", zh="传给 Python 的参数。"
)
def COMMAND(words: tuple[str, ...]) -> NoReturn:
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, *words])
