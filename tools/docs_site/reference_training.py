"""The page of the settings of training runs, from their dataclasses."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ludus.lang import Text
from ludus.learn import settings
from tools.docs_site.tables import format_table

INTRODUCTION = Text(
    """# Training settings

Every setting of `ludus train`: a toml file has them in its sections (`--preset my.toml`), and
`-s section.name=value` changes one, such as `-s learn.waves=20`. A file need not name those that
keep their default. [Learning](learning.md#train) shows them at work, and
`examples/training/small.toml` is a file to begin with.
""",
    """# 训练设置

`ludus train` 的全部设置：toml 文件按节写出（`--preset my.toml`），`-s 节.名=值` 修改一项，例如
`-s learn.waves=20`。文件中不必写出保持默认值的设置。用法见[学习](learning.md#训练)，可从
`examples/training/small.toml` 开始。以下说明取自代码，为英文。
""",
)
HEAD = Text("setting|default|meaning", "设置|默认值|含义")
GENERAL = Text("Outside any section", "不属于任何节")


def format_training_page(language: str) -> str:
    """Every setting with its default and its meaning, section by section."""
    return INTRODUCTION[language] + "".join(_format_sections(language))


def _format_sections(language: str) -> Iterator[str]:
    yield _format_section(GENERAL[language], settings.TrainingSettings, "", language)
    for name, kind in settings.SECTIONS.items():
        yield _format_section(f"`[{name}]`", kind, f"{name}.", language)


def _format_section(heading: str, kind: Any, where: str, language: str) -> str:
    said = read_descriptions(kind)
    rows = [
        (f"`{where}{field.name}`", f"`{_as_toml(field.default)}`", said.get(field.name, ""))
        for field in dataclasses.fields(kind)
        if field.name not in ("game", "options", *settings.SECTIONS)
    ]
    about = inspect.getdoc(kind) if where else ""
    table = format_table(tuple(HEAD[language].split("|")), rows)
    return f"\n## {heading}\n" + (f"\n{about}\n" if about else "") + table


def read_descriptions(kind: Any) -> dict[str, str]:
    """The texts that follow the fields of a dataclass in its source."""
    source = Path(inspect.getfile(kind)).read_text(encoding="utf-8")
    (node,) = [
        each
        for each in ast.parse(source).body
        if isinstance(each, ast.ClassDef) and each.name == kind.__name__
    ]
    said = {}
    for field, after in zip(node.body, node.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(after, ast.Expr):
            text = ast.literal_eval(after.value)
            said[ast.unparse(field.target)] = inspect.cleandoc(text).replace("``", "`")
    return said


def _as_toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)
