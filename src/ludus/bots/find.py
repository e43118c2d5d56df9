"""From what a person typed to a bot: a house bot's name, a file, or a program."""

from __future__ import annotations

import ast
import difflib
import hashlib
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ludus.bots.load import hosts, no_bot
from ludus.errors import LudusError
from ludus.games.base import Game

PROGRAM = "cmd:"
"""``cmd:./bot --fast`` is a program that speaks protocol ludus/1 on stdin and stdout."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a bot comes from."""

    name: str
    path: Path | None
    argv: tuple[str, ...]
    """The program to run; empty for a Python file."""
    trusted: bool
    """Our own: may run inside the referee's process."""
    digest: str


def find(spec: str, game: Game) -> Source:
    """The bot that a person means, or a LudusError that helps."""
    if spec.startswith(PROGRAM):
        return _program(spec.removeprefix(PROGRAM))
    if house := game.bots().get(spec):
        return Source(spec, house, (), True, _digest(house))
    path = Path(spec).expanduser()
    if path.is_dir():
        raise LudusError(
            f"{spec} is a folder; name the bot's Python file in it",
            f"{spec} 是文件夹；请给出其中 AI 的 Python 文件",
        )
    if not path.exists():
        raise _missing(spec, game)
    check(path, game)
    return Source(path.stem, path.resolve(), (), False, _digest(path))


def _program(command: str) -> Source:
    try:
        argv = tuple(shlex.split(command))
    except ValueError as error:
        raise LudusError(f"cmd:{command}: {error}", f"cmd:{command}：{error}") from None
    if not argv:
        raise LudusError("cmd: needs a command after it", "cmd: 后面要写命令")
    file = Path(argv[0])
    return Source(file.name, None, argv, False, _digest(file) if file.is_file() else "")


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise LudusError(
            f"cannot read {path}: {error.strerror}", f"无法读取 {path}：{error.strerror}"
        ) from None


def _missing(spec: str, game: Game) -> LudusError:
    house = list(game.bots())
    near = difflib.get_close_matches(spec, house, n=1)
    hint_en = f"; did you mean {near[0]!r}?" if near else f"; house bots: {', '.join(house)}"
    hint_zh = f"；是不是 {near[0]!r}？" if near else f"；自带 AI：{'、'.join(house)}"
    return LudusError(
        f"there is no file and no house bot of {game.name} called {spec!r}{hint_en}",
        f"{game.name} 没有名为 {spec!r} 的文件或自带 AI{hint_zh}",
    )


def check(path: Path, game: Game) -> None:
    """Refuse a file that is no bot of this game, without running it."""
    try:
        tree = ast.parse(path.read_bytes(), filename=str(path))
    except OSError as error:
        raise LudusError(
            f"cannot read {path}: {error.strerror}", f"无法读取 {path}：{error.strerror}"
        ) from None
    except (SyntaxError, ValueError) as error:
        raise _unreadable(path, error) from None
    names, unsure = _bound_names(tree.body)
    if not unsure and not names & {kind.mark for kind in hosts(game)}:
        raise no_bot(path, game)


def _unreadable(path: Path, error: Exception) -> LudusError:
    line = getattr(error, "lineno", None)
    where = f"{path}, line {line}" if line else str(path)
    detail = ""
    if isinstance(error, SyntaxError) and error.text and error.offset:
        detail = f"{error.text.rstrip()}\n{' ' * (error.offset - 1)}^"
    what = error.msg if isinstance(error, SyntaxError) else str(error)
    return LudusError(
        f"{where}: not valid Python: {what}", f"{where}：不是有效的 Python：{what}", detail
    )


def _bound_names(body: Iterable[ast.stmt]) -> tuple[set[str], bool]:
    """Names that a module's top level binds, and whether there may be more."""
    names: set[str] = set()
    unsure = False
    for node in body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                names.add(name)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                names |= {alias.asname or alias.name for alias in aliases}
                unsure |= any(alias.name == "*" for alias in aliases)
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                names |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            case ast.Expr():
                unsure |= any(isinstance(n, ast.Call) and _executes(n) for n in ast.walk(node))
            case ast.If() | ast.Try() | ast.With() | ast.For() | ast.While() | ast.Match():
                inner = [n for n in ast.walk(node) if isinstance(n, ast.stmt) and n is not node]
                more, more_unsure = _bound_names(inner)
                names |= more
                unsure |= more_unsure
    return names, unsure


def _executes(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in ("exec", "eval", "setattr")
