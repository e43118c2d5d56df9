"""Checks of Python source without running it, in time linear in its length.

Nothing here is recursive: a few hundred bytes can nest a hundred statements, and a few thousand can
nest expressions deeper than Python's stack. A file that Python's parser rejects as too deep or too
long gets the same kind of error as any other syntax error.
"""

from __future__ import annotations

import ast
import io
import re
import threading
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path

from ludus.bots.load import host_types, no_bot_error
from ludus.bots.read_source import read_source
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.host import Host
from ludus.lang import Text

ALLOWED_ENCODING_PREFIXES = (
    "utf-8",
    "ascii",
    "iso",
    "latin",
    "cp",
    "windows",
    "gb",
    "big5",
    "euc",
    "shift",
    "koi8",
)
"""Prefixes of the encodings that programs are really written in. Others (punycode, idna,
unicode_escape) take quadratic time or hide the real content of a file."""
COMPOUND_STATEMENTS = (ast.If, ast.Try, ast.TryStar, ast.With, ast.For, ast.While, ast.Match)
"""Statements whose inner statements bind names at module level."""

ENCODING_LINE = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
"""How a Python file names its encoding (PEP 263)."""
GBK_LINE = "# -*- coding: gbk -*-"

PARSING = threading.Lock()
"""Held while Python parses: up to 3.11.4 two threads that parse at once can make each other fail
with a SystemError about the recursion depth."""


def parse_source(data: bytes) -> ast.Module:
    """The syntax tree of a Python file; SyntaxError if Python cannot parse it.

    Python's parser reports some invalid files with a RecursionError or a MemoryError; these become
    a SyntaxError too. A machine that is really out of memory cannot be told apart from that.
    """
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    if not encoding.lower().replace("_", "-").startswith(ALLOWED_ENCODING_PREFIXES):
        raise SyntaxError(f"the encoding {encoding!r} is not allowed here; use UTF-8")
    try:
        with PARSING:
            return ast.parse(data)
    except (RecursionError, MemoryError):
        raise SyntaxError("too deeply nested or too long") from None
    except ValueError as error:
        raise SyntaxError(str(error)) from None


def parse_bot_file(data: bytes, shown: Path) -> ast.Module:
    """The syntax tree of a bot's file; LudusError (with ``shown`` as its name) if it has none."""
    try:
        return parse_source(data)
    except SyntaxError as error:
        raise _syntax_error(shown, data, error) from None


def check_bot_file(path: Path, game: Game, shown: Path | None = None) -> None:
    """Refuse a file that does not define a bot for this game, without running it.

    ``shown`` is its path in messages.
    """
    shown = shown or path
    tree = parse_bot_file(read_source(path, shown), shown)
    names, unsure = bound_names(tree)
    if not unsure and not names & {kind.mark for kind in host_types(game)}:
        raise no_bot_error(shown, game)


def find_host_type(path: Path, game: Game) -> type[Host] | None:
    """The kind of bot that a Python file defines, as far as its text tells, without running it."""
    try:
        names, _ = bound_names(parse_source(read_source(path)))
    except (LudusError, SyntaxError):
        return None
    return next((kind for kind in host_types(game) if kind.mark in names), None)


def describe_syntax_error(data: bytes, error: SyntaxError) -> Text:
    """What is wrong with a file that Python cannot parse; for one in another encoding than UTF-8
    also what to do, because Python's own words do not tell that."""
    if is_utf8(data) or declares_encoding(data):
        return Text(f"not valid Python: {error.msg}", f"不是有效的 Python：{error.msg}")
    if not seems_gbk(data):
        return Text(
            "not valid Python: the file is not in UTF-8; save it as UTF-8",
            "不是有效的 Python：文件不是 UTF-8 编码；请用编辑器另存为 UTF-8",
        )
    return Text(
        "not valid Python: the file is not in UTF-8 (it seems to be GBK); save it as UTF-8, or make"
        f" its first line {GBK_LINE}",
        "不是有效的 Python：文件不是 UTF-8 编码（似乎是 GBK）；请用编辑器另存为 UTF-8，"
        f"或把第一行写成 {GBK_LINE}",
    )


def is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def declares_encoding(data: bytes) -> bool:
    """Whether a Python file names another encoding than UTF-8, in one of its first two lines."""
    found = filter(None, map(ENCODING_LINE.match, data.splitlines()[:2]))
    return any(not line[1].lower().startswith(b"utf") for line in found)


def seems_gbk(data: bytes) -> bool:
    try:
        data.decode("gbk")
    except UnicodeDecodeError:
        return False
    return True


def _syntax_error(path: Path, data: bytes, error: SyntaxError) -> LudusError:
    what = describe_syntax_error(data, error)
    line = error.lineno
    where = (
        Text(f"{path}, line {line}", f"{path} 第 {line} 行") if line else Text(str(path), str(path))
    )
    detail = ""
    if error.text and error.offset and len(error.text) < 400:
        detail = f"{error.text.rstrip()}\n{' ' * (error.offset - 1)}^"
    return LudusError(
        f"{where['en']}: {what['en']}",
        f"{where['zh']}：{what['zh']}",
        detail,
    )


def bound_names(tree: ast.Module) -> tuple[set[str], bool]:
    """The names that a module binds at top level, and whether there may be more."""
    names: set[str] = set()
    unsure = False
    for node in _top_level(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                names.add(name)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                names |= {alias.asname or alias.name for alias in aliases}
                unsure |= any(alias.name == "*" for alias in aliases)
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                names |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            case ast.Expr():
                unsure |= any(isinstance(n, ast.Call) and _is_exec_call(n) for n in ast.walk(node))
    return names, unsure


def _top_level(tree: ast.Module) -> Iterator[ast.stmt]:
    """The simple statements that run when the module is loaded, each once."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt) and not isinstance(node, COMPOUND_STATEMENTS):
            yield node
        else:
            waiting.extend(_blocks(node))


def _blocks(node: ast.AST) -> Iterable[ast.AST]:
    """The statements, handlers and cases directly inside a compound statement."""
    inner = (ast.stmt, ast.excepthandler, ast.match_case)
    return (child for child in ast.iter_child_nodes(node) if isinstance(child, inner))


def _is_exec_call(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in ("exec", "eval", "setattr")


def list_imports(data: bytes) -> Iterator[str]:
    """The top-level names that a Python file imports; none if it has a syntax error."""
    try:
        tree = parse_source(data)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        for name in _names_imported_by(node):
            first = name.partition(".")[0]
            if first.isidentifier():  # a path is not
                yield first


def _names_imported_by(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Import(names=aliases):
            yield from (alias.name for alias in aliases)
        case ast.ImportFrom(module=str(name), level=0):
            yield name
        case ast.Call(
            func=ast.Name(id="__import__")
            | ast.Name(id="import_module")
            | ast.Attribute(attr="import_module"),
            args=[ast.Constant(value=str(name)), *_],
        ):
            yield name
