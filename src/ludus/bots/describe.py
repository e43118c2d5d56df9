"""A bot's description, read from its source file without running it."""

from __future__ import annotations

import ast
import itertools
import re
from pathlib import Path

from ludus.bots.static_check import parse_source
from ludus.lang import Text

CHINESE_CHARACTERS = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff]")


def read_description(path: Path) -> Text:
    """The first line of its docstring or of its leading comment; empty if it has neither.

    ``English. 中文。`` is split into the two languages.
    """
    try:
        text = _read_comment(path) if path.suffix == ".cpp" else _read_docstring(path)
    except (OSError, SyntaxError, ValueError):
        text = ""
    line = text.strip().partition("\n")[0]
    chinese = CHINESE_CHARACTERS.search(line)
    if not chinese or not (english := line[: chinese.start()].strip()):
        return Text(line, line)
    return Text(english, line[chinese.start() :].strip())


def _read_docstring(path: Path) -> str:
    return ast.get_docstring(parse_source(path.read_bytes())) or ""


def _read_comment(path: Path) -> str:
    """The comment at the beginning of the file, as one line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    comments = itertools.takewhile(lambda line: line.startswith("//"), lines)
    return " ".join(line.lstrip("/ ") for line in comments)
