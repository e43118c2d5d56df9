"""Write the glossary of CONTRIBUTING.md: every public class of every room, from its docstring.

.venv/bin/python tools/glossary.py
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "ludus"
PAGE = ROOT / "CONTRIBUTING.md"
HEADING = "## Glossary\n"
INTRODUCTION = """
Every public class of every room, in the words of its docstring. Made by `tools/glossary.py`; a test
holds it to the code.
"""
OTHER_WORLDS = (
    *("bots/templates/", "cli/templates/", "sdk/"),
    *("compat/saiblo/sdk/", "compat/saiblo/samples/", "scheduling/migrations/"),
)
"""Folders of programs that speak with the words of other worlds."""
BOTS = ("games/*/bots/*.py", "learn/bots/*.py", "compat/duel2048/human.py")
"""Bots, whose class is called as their game's dialect wants."""


class Term(NamedTuple):
    """A public class."""

    name: str
    meaning: str
    module: str


def list_terms() -> dict[str, list[Term]]:
    """Every public class, by its room."""
    bots = {path for pattern in BOTS for path in SOURCE.glob(pattern)}
    found: dict[str, list[Term]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if path in bots or name.startswith(OTHER_WORLDS) or "/checkout/" in name:
            continue
        room = name.partition("/")[0] if "/" in name else "ludus"
        found.setdefault(room, []).extend(_read_terms(path, name.removesuffix(".py")))
    return {room: sorted(terms) for room, terms in sorted(found.items()) if terms}


def _read_terms(path: Path, module: str) -> Iterator[Term]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield Term(node.name, _first_sentence(ast.get_docstring(node) or ""), module)


def _first_sentence(text: str) -> str:
    paragraph = " ".join(text.partition("\n\n")[0].split())
    sentence = re.split(r"(?<=[.!?])\s(?=[A-Z`])", paragraph)[0]
    return sentence.replace("|", r"\|")


def format_glossary() -> str:
    parts = [HEADING, INTRODUCTION]
    for room, terms in list_terms().items():
        parts.append(f"\n### {room}\n\n| class | what it is | module |\n|---|---|---|\n")
        parts += [f"| `{t.name}` | {t.meaning} | `{t.module}` |\n" for t in terms]
    return "".join(parts)


def replace_glossary(page: str) -> str:
    """The page with the glossary of now at its end."""
    return page.partition(HEADING)[0].rstrip() + "\n\n" + format_glossary()


if __name__ == "__main__":
    PAGE.write_text(replace_glossary(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
