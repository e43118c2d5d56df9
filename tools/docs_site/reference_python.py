"""The pages of the public Python names and of those for writing games, from their signatures and
docstrings."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
from collections.abc import Iterator
from pathlib import Path

import ludus
from ludus.lang import Text

Function = ast.FunctionDef | ast.AsyncFunctionDef
INTRODUCTION = Text(
    """# Python

The names of `ludus.__all__`: they keep their meaning within a major version, all other modules may
change. [Ludus from Python](python.md) shows them at work. What games are written with has
[a page of its own](reference-games.md).
""",
    """# Python

`ludus.__all__` 中的名字：在同一个主版本内含义不变，其他模块都可能改变。用法见
[在 Python 中使用 Ludus](python.md)。
编写游戏所用的名字[另有一页](reference-games.md)。以下说明取自代码，为英文。
""",
)
GAMES_INTRODUCTION = Text(
    """# Writing games

What a package with a game imports. [Adding a game](games.md) shows it at work.
""",
    """# 编写游戏

含有游戏的包所导入的名字。用法见[添加游戏](games.md)。以下说明取自代码，为英文。
""",
)
GAME_NAMES = {
    "Game": "ludus.games",
    "Position": "ludus.games",
    "Options": "ludus.games",
    "option": "ludus.games",
    "Outcome": "ludus.games",
    "IllegalMove": "ludus.games",
    "only_move": "ludus.games",
    "Clock": "ludus.games",
    "VertexBoard": "ludus.games",
    "ExactSolver": "ludus.games.base",
    "SolvedMove": "ludus.games.base",
    "Text": "ludus.lang",
    "GameContract": "ludus.games.contract",
}
"""What games are written with, and the module that each is imported from."""


RESULT_NAMES = {
    "Outcome": "ludus.games.base",
    "SeatFault": "ludus.match.verdict",
    "WinDrawLoss": "ludus.rating.scores",
    "PairedScore": "ludus.rating.scores",
    "EloEstimate": "ludus.rating.elo",
}
"""What bouts and matches answer with, besides public names, and where each is defined."""
RESULTS_INTRODUCTION = Text(
    """
## What results hold

Bouts and matches answer with these. Their fields keep their meaning; they are not for making.
""",
    """
## 结果中的对象

对局和比赛的结果由它们给出。各字段的含义保持不变；不必自己创建。
""",
)


def format_python_page(language: str) -> str:
    """Every public name with its signature and docstring, and what results hold."""
    results = (_format_name(module, name, module) for name, module in RESULT_NAMES.items())
    return (
        INTRODUCTION[language]
        + "".join(_format_names())
        + RESULTS_INTRODUCTION[language]
        + "".join(map("".join, results))
    )


def format_games_page(language: str) -> str:
    """Every name that games are written with."""
    parts = (
        _format_name(module, name, getattr(importlib.import_module(module), name).__module__)
        for name, module in GAME_NAMES.items()
    )
    return GAMES_INTRODUCTION[language] + "".join(map("".join, parts))


def _format_names() -> Iterator[str]:
    yield "\n## `ludus.__version__`\n\n"
    yield f'The version of Ludus as a string: `"{ludus.__version__}"`.\n'
    for name in ludus.__all__:
        if name == "__version__":
            continue
        yield from _format_name("ludus", name, ludus._MODULES[name])


def _format_name(module: str, name: str, defined_in: str) -> Iterator[str]:
    """A name as it is imported from a module, which may have it from another."""
    node = _find(defined_in, name)
    yield f"\n## `{module}.{name}`\n\n"
    if isinstance(node, ast.ClassDef):
        yield from _format_class(node, module)
    else:
        yield _format_signature(node, f"{module}.{name}")
        yield _format_docstring(node)


def _find(module: str, name: str) -> ast.ClassDef | Function:
    spec = importlib.util.find_spec(module)
    assert spec is not None and spec.origin is not None
    source = Path(spec.origin).with_suffix("").with_suffix(".py")  # also of a compiled module
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef | Function) and node.name == name:
            return node
    raise LookupError(f"{module} does not define {name}")


def _format_class(node: ast.ClassDef, module: str) -> Iterator[str]:
    bases = ", ".join(map(ast.unparse, node.bases))
    yield f"```python\nclass {module}.{node.name}{f'({bases})' if bases else ''}\n```\n\n"
    yield _format_docstring(node)
    for index, member in enumerate(node.body):
        if isinstance(member, ast.AnnAssign):
            yield from _format_field(node, member, index)
        elif isinstance(member, Function) and member.name.startswith("test_"):
            yield f"\n- `{member.name}`\n"  # a test says in its name what it tests
        elif isinstance(member, Function) and not member.name.startswith("_"):
            yield from _format_method(node, member)


def _format_field(node: ast.ClassDef, field: ast.AnnAssign, index: int) -> Iterator[str]:
    name = ast.unparse(field.target)
    if name.startswith("_"):
        return
    yield f"\n### `{node.name}.{name}`\n\n"
    default = f" = {ast.unparse(field.value)}" if field.value is not None else ""
    yield f"```python\n{name}: {ast.unparse(field.annotation)}{default}\n```\n"
    after = node.body[index + 1] if index + 1 < len(node.body) else None
    if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
        yield f"\n{_as_markdown(inspect.cleandoc(str(after.value.value)))}\n"


def _format_method(node: ast.ClassDef, method: Function) -> Iterator[str]:
    yield f"\n### `{node.name}.{method.name}`\n\n"
    decorators = {ast.unparse(each).rpartition(".")[2] for each in method.decorator_list}
    if decorators & {"property", "cached_property"}:
        returns = ast.unparse(method.returns) if method.returns else "Any"
        yield f"```python\n{method.name}: {returns}\n```\n\n"
    else:
        yield _format_signature(method, f"{node.name}.{method.name}")
    yield _format_docstring(method)


def _format_signature(function: Function, name: str) -> str:
    arguments = ast.unparse(function.args)
    own, _, rest = arguments.partition(", ")
    if own in ("self", "cls"):
        arguments = rest
    returns = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    one_line = f"{name}({arguments}){returns}"
    if len(one_line) > 88:
        split = ast.parse(f"def f({arguments}): ...").body[0]
        assert isinstance(split, ast.FunctionDef)
        one_line = f"{name}(\n{_split_arguments(split.args)}){returns}"
    return f"```python\n{one_line}\n```\n\n"


def _split_arguments(arguments: ast.arguments) -> str:
    """One argument per line."""
    positional = [*arguments.posonlyargs, *arguments.args]
    gaps = len(positional) - len(arguments.defaults)
    lines = [
        _format_argument(each, arguments.defaults[number - gaps] if number >= gaps else None)
        for number, each in enumerate(positional)
    ]
    if arguments.vararg:
        lines.append("*" + _format_argument(arguments.vararg, None))
    elif arguments.kwonlyargs:
        lines.append("*")
    lines += map(_format_argument, arguments.kwonlyargs, arguments.kw_defaults)
    if arguments.kwarg:
        lines.append("**" + _format_argument(arguments.kwarg, None))
    return "".join(f"    {line},\n" for line in lines)


def _format_argument(argument: ast.arg, default: ast.expr | None) -> str:
    text = ast.unparse(argument)
    return text if default is None else f"{text} = {ast.unparse(default)}"


def _format_docstring(node: ast.ClassDef | Function) -> str:
    return f"{_as_markdown(ast.get_docstring(node) or '')}\n"


def _as_markdown(docstring: str) -> str:
    """Docstrings mark code with two backticks."""
    return docstring.replace("``", "`")
