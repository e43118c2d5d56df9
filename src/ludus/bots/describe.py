"""What a bot's file says about itself, read without running it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from ludus.lang import Text

CHINESE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff]")


def description(path: Path) -> Text:
    """The first line of its docstring; ``English. 中文。`` is taken apart. Empty if it has none."""
    try:
        text = ast.get_docstring(ast.parse(path.read_bytes())) or ""
    except (OSError, SyntaxError, ValueError):
        text = ""
    line = text.strip().partition("\n")[0]
    chinese = CHINESE.search(line)
    if not chinese or not (english := line[: chinese.start()].strip()):
        return {"en": line, "zh": line}
    return {"en": english, "zh": line[chinese.start() :].strip()}
