"""``ludus python``: runs the interpreter that Ludus uses."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from ludus.cli.command import argument, command, pass_through_settings

OPTIONS_WITH_ARGUMENT = "cmWX"
"""Options of Python whose argument is the rest of the word or the next word."""


@command(
    en="Run the Python that Ludus uses, with all packages installed there: a script, -m MODULE,"
    " -c CODE, or no arguments for an interactive prompt.",
    zh="以 Ludus 所用的 Python 运行（可用其中安装的一切）：脚本、-m 模块、-c 代码，或直接交互。",
    **pass_through_settings(),
)
@argument(
    "words", nargs=-1, metavar="[WORD…]", en="The arguments of Python.", zh="传给 Python 的参数。"
)
def COMMAND(words: tuple[str, ...]) -> NoReturn:
    sys.stdout.flush()
    safe = ["-P"] if is_ludus_module(find_module(words)) else []
    os.execv(sys.executable, [sys.executable, *safe, *words])


def find_module(words: Sequence[str]) -> str:
    """The module that is run with ``-m``; empty if there is none."""
    rest = list(words)
    while rest and rest[0].startswith("-") and not rest[0].startswith("--"):
        word = rest.pop(0)
        for place, letter in enumerate(word[1:], 2):
            if letter in OPTIONS_WITH_ARGUMENT:
                argument = word[place:] or (rest.pop(0) if rest else "")
                if letter == "m":
                    return argument
                if letter == "c":
                    return ""
                break
    return ""


def is_ludus_module(module: str) -> bool:
    """Whether a module is part of Ludus. Such a module must not import from the current folder,
    which may contain untrusted bots: a ``numpy.py`` among them would run with the user's rights.
    With other modules, scripts or typed commands the folder comes first, as usual in Python."""
    return module.partition(".")[0] == "ludus"
