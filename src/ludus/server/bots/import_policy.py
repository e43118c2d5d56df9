"""What Python bots may import and call, checked in their source text, as the original arenas did.

This helps against mistakes and supports fair play among people of good will. It is not a security
boundary: Python has more ways to a module than any list, and programs in other languages are not
checked. Only the obvious ways are closed here; the jail is what confines a bot.
"""

from __future__ import annotations

import ast
import contextlib
import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from ludus.bots import limited_calls, manifest, static_check
from ludus.bots.languages.registry import PYTHON, language_of
from ludus.bots.load import host_types
from ludus.bots.manifest import MANIFEST_NAME as MANIFEST
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.registry import get_listed
from ludus.lang import Text

REFUSED_CALLS = {"eval", "exec", "compile", "__import__", "open", "locals", "globals"}
"""Ways around a list of modules, refused where there is one."""
REFUSED_ATTRIBUTES = {"__builtins__", "__dict__", "__globals__", "__subclasses__", "__loader__"}
ALWAYS_ALLOWED_MODULES = {"__future__", "ludus", "typing"}
GATEWAY_MODULES = {
    *("builtins", "ctypes", "gc", "importlib", "inspect", "io", "marshal", "multiprocessing", "os"),
    *("pickle", "posix", "runpy", "socket", "subprocess", "sys", "threading"),
}
"""Modules that give access to all others and that many modules contain: ``typing.sys``,
``random._os``."""
COMPILED_SUFFIXES = (".pyc", ".pyd", ".pyo", ".so", ".pth", ".egg", ".whl")
"""Python files without source text, refused where there is a list."""
MAX_OBJECTIONS = 50
"""The most objections that are reported."""


def find_objections(
    files: Mapping[str, bytes], game: Game, allowed: Collection[str] | None
) -> list[dict[str, Any]]:
    """``file``, ``line`` and ``why`` of everything that is not allowed, and of broken files."""
    found = []
    known = _list_allowed_modules(files, game, allowed) if allowed is not None else None
    pythons = list_python_files(files)
    for name in sorted(files):
        objections: Iterable[tuple[int, Text]] = ()
        if name in pythons:
            objections = _check_file(files[name], known)
        elif known is not None and pythons and name.lower().endswith(COMPILED_SUFFIXES):
            objections = [(1, _not_allowed(f"compiled Python ({PurePosixPath(name).suffix})"))]
        for line, why in objections:
            found.append({"file": name, "line": line, "why": why})
            if len(found) == MAX_OBJECTIONS:
                return found
    return found


def find_objections_limited(
    files: Mapping[str, bytes],
    game: Game,
    allowed: Collection[str] | None,
    bounds: limited_calls.Bounds = limited_calls.STRICT_BOUNDS,
) -> list[dict[str, Any]]:
    """As ``find_objections``, in a limited process: for uploads."""
    listed = None if allowed is None else sorted(allowed)
    return limited_calls.call_with_bounds(bounds, _find_objections, dict(files), game.name, listed)


def _find_objections(
    files: dict[str, bytes], game: str, allowed: list[str] | None
) -> list[dict[str, Any]]:
    return find_objections(files, get_listed(game), allowed)


def list_python_files(files: Mapping[str, bytes]) -> set[str]:
    """The files that Python runs: by their suffix, or because they may be Python."""
    found = {name for name in files if name.lower().endswith((".py", ".pyw", ".pyi"))}
    if len(files) == 1:
        (name,) = files
        unnamed = language_of(Path(name)) is None and not name.lower().endswith(".zip")
        return {name} if unnamed else found
    if MANIFEST in files:
        with contextlib.suppress(LudusError):
            parsed = manifest.parse_manifest(files[MANIFEST], MANIFEST)
            if parsed.language == PYTHON.name:
                found.add(posixpath.normpath(parsed.main or PYTHON.main))
    return found & set(files)


def _list_allowed_modules(
    files: Mapping[str, bytes], game: Game, allowed: Collection[str]
) -> set[str]:
    """The modules that may be imported: the list, the bot's own, and what the game provides."""
    own = {PurePosixPath(name).parts[0].removesuffix(".py") for name in files}
    games = {module.partition(".")[0] for kind in host_types(game) for module in kind.modules}
    return {name.partition(".")[0] for name in allowed} | own | games | ALWAYS_ALLOWED_MODULES


def _check_file(data: bytes, known: set[str] | None) -> Iterator[tuple[int, Text]]:
    try:
        tree = static_check.parse_source(data)
    except SyntaxError as error:
        yield error.lineno or 1, static_check.describe_syntax_error(data, error)
        return
    if known is not None:
        for node in ast.walk(tree):
            yield from _check_node(node, known)


def _check_node(node: ast.AST, known: set[str]) -> Iterator[tuple[int, Text]]:
    line = getattr(node, "lineno", 1)
    match node:
        case ast.Import(names=aliases):
            yield from ((line, w) for a in aliases if (w := _check_module(a.name, known)))
        case ast.ImportFrom(module=str(name), names=aliases, level=0):
            if why := _check_module(name, known):
                yield line, why
            else:
                doors = (a.name for a in aliases if _is_gateway(a.name, known))
                yield from ((line, _not_allowed(f"{name}.{door}")) for door in doors)
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            if name in REFUSED_CALLS:
                yield line, _not_allowed(f"{name}()")
        case ast.Name(id=name) | ast.Attribute(attr=name):
            if name in REFUSED_ATTRIBUTES:
                yield line, _not_allowed(name)
            elif isinstance(node, ast.Attribute) and _is_gateway(name, known):
                yield line, _not_allowed(f".{name}")


def _is_gateway(name: str, known: set[str]) -> bool:
    """Whether an attribute of a module is probably another module that is not allowed."""
    return name.lstrip("_") in GATEWAY_MODULES - known


def _check_module(name: str, known: set[str]) -> Text | None:
    if name.partition(".")[0] in known:
        return None
    usable = ", ".join(sorted(known - ALWAYS_ALLOWED_MODULES))
    return Text(
        f"the module {name!r} is not allowed here; allowed: {usable}",
        f"此处不允许使用模块 {name!r}；允许：{usable}",
    )


def _not_allowed(name: str) -> Text:
    return Text(f"{name} is not allowed here", f"此处不允许使用 {name}")
