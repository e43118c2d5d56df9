"""What a bot's file says about itself, read without running it."""

from __future__ import annotations

import ast
import itertools
import re
from pathlib import Path

from ludus.bots.static_check import parse
from ludus.lang import Text

CHINESE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff]")


def description(path: Path) -> Text:
    """The first line of its docstring, or the comment it begins with; empty if it has none.

    ``English. 中文。`` is taken apart.
    """
    try:
        text = _comment(path) if path.suffix == ".cpp" else _docstring(path)
    except (OSError, SyntaxError, ValueError):
        text = ""
    line = text.strip().partition("\n")[0]
    chinese = CHINESE.search(line)
    if not chinese or not (english := line[: chinese.start()].strip()):
        return {"en": line, "zh": line}
    return {"en": english, "zh": line[chinese.start() :].strip()}


def _docstring(path: Path) -> str:
    return ast.get_docstring(parse(path.read_bytes())) or ""


def _comment(path: Path) -> str:
    """The comment at the very beginning, as one line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    begun = itertools.takewhile(lambda line: line.startswith("//"), lines)
    return " ".join(line.lstrip("/ ") for line in begun)
