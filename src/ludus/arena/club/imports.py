"""What a Python bot may use, told from its text alone, as the arenas of the originals did.

This is a matter of fairness and of early, readable words; what really holds a bot is its jail.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from ludus.bots.load import hosts
from ludus.games.base import Game
from ludus.lang import Text

REFUSED = {"eval", "exec", "compile", "__import__", "open", "locals", "globals"}
"""Ways around a list of modules, refused where there is one."""
HIDDEN = {"__builtins__", "__dict__", "__globals__", "__subclasses__", "__loader__"}
ALWAYS = {"__future__", "ludus", "typing"}
SHOWN = 50
"""Objections that are told."""


def objections(
    files: Mapping[str, bytes], game: Game, allowed: Collection[str] | None
) -> list[dict[str, Any]]:
    """``file``, ``line`` and ``why`` for everything that is not allowed, and for broken files."""
    found = []
    known = _known(files, game, allowed or ())
    for name in sorted(files):
        if name.endswith(".py"):
            for line, why in _in_file(files[name], known if allowed is not None else None):
                found.append({"file": name, "line": line, "why": why})
    return found[:SHOWN]


def _known(files: Mapping[str, bytes], game: Game, allowed: Collection[str]) -> set[str]:
    """What may be imported: the list, the bot's own modules, and what the game provides."""
    own = {PurePosixPath(name).parts[0].removesuffix(".py") for name in files}
    games = {module.partition(".")[0] for kind in hosts(game) for module in kind.modules}
    return {name.partition(".")[0] for name in allowed} | own | games | ALWAYS


def _in_file(data: bytes, known: set[str] | None) -> Iterator[tuple[int, Text]]:
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        yield getattr(error, "lineno", None) or 1, _broken(error)
        return
    if known is not None:
        for node in ast.walk(tree):
            yield from _about(node, known)


def _broken(error: BaseException) -> Text:
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    return {"en": f"not valid Python: {said}", "zh": f"不是有效的 Python：{said}"}


def _about(node: ast.AST, known: set[str]) -> Iterator[tuple[int, Text]]:
    line = getattr(node, "lineno", 1)
    match node:
        case ast.Import(names=aliases):
            yield from ((line, w) for a in aliases if (w := _module(a.name, known)))
        case ast.ImportFrom(module=str(name), level=0):
            if why := _module(name, known):
                yield line, why
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            if name in REFUSED:
                yield line, _not_here(f"{name}()")
        case ast.Name(id=name) | ast.Attribute(attr=name):
            if name in HIDDEN:
                yield line, _not_here(name)


def _module(name: str, known: set[str]) -> Text | None:
    if name.partition(".")[0] in known:
        return None
    usable = ", ".join(sorted(known - ALWAYS))
    return {
        "en": f"the module {name!r} is not allowed here; allowed: {usable}",
        "zh": f"此处不允许使用模块 {name!r}；允许：{usable}",
    }


def _not_here(name: str) -> Text:
    return {"en": f"{name} is not allowed here", "zh": f"此处不允许使用 {name}"}
