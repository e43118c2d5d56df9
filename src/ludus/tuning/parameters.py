"""The numbers that a bot's file declares for tuning.

A declaration is a comment behind a number of the module, and the bot runs as before without Ludus::

    CORNER = 100  # tune: 0..200
    RISK = 0.35   # share of risky moves  # tune: 0..1 step 0.05

Whole numbers stay whole. A version of the bot is its text with other numbers in these places, an
ordinary file that runs in an ordinary jail.
"""

from __future__ import annotations

import ast
import io
import math
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ludus.bots.read_source import read_source
from ludus.bots.static_check import parse_bot_file
from ludus.errors import LudusError
from ludus.tuning.spsa import DEFAULT_STEP, Perturbation, Values, round_by

DECLARATION = re.compile(r"#\s*tune\s*:(?P<bounds>[^#]*)")
MAX_PARAMETERS = 200
LEAST_WHOLE_STEP = 0.5
"""Then the two versions of an iteration differ by one in a whole number."""
SHOWN_FRACTION = 0.01
"""Numbers are written with enough digits to distinguish this fraction of a step."""
MAX_DECIMALS = 15


@dataclass(frozen=True, slots=True)
class TunableNumber:
    """A number that a bot declares: its name, value and bounds, and where it stands."""

    name: str
    start: float
    low: float
    high: float
    step: float
    """By how much it is changed at the end of the tuning, up and down."""
    whole: bool
    line: int = field(compare=False)
    """The line of the source, from 1."""
    columns: tuple[int, int] = field(compare=False)
    """Where the number begins and ends in its line."""

    @property
    def range(self) -> float:
        return self.high - self.low

    def to_unit(self, value: float) -> float:
        return (value - self.low) / self.range

    def from_unit(self, unit: float) -> float:
        return self.low + unit * self.range

    def format(self, value: float) -> str:
        """A value as it is written into the source."""
        if self.whole:
            return str(round(value))
        decimals = max(1, math.ceil(-math.log10(SHOWN_FRACTION * self.step)))
        if decimals > MAX_DECIMALS:
            return repr(value)
        return f"{round(value, decimals) + 0.0:.{decimals}f}"


@dataclass(frozen=True)
class TunableSource:
    """The text of a bot, and the numbers that it declares."""

    text: str
    encoding: str
    numbers: tuple[TunableNumber, ...]

    def write(self, values: Sequence[float]) -> str:
        """The text with other numbers."""
        lines = split_lines(self.text)
        for number, value in zip(self.numbers, values, strict=True):
            line, (begin, end) = lines[number.line - 1], number.columns
            lines[number.line - 1] = line[:begin] + number.format(value) + line[end:]
        return "".join(lines)

    def encode(self, values: Sequence[float]) -> bytes:
        """The file with other numbers."""
        return self.write(values).encode(self.encoding)

    def from_units(self, units: Values) -> tuple[float, ...]:
        """Values from 0 to 1 in the units of the bot."""
        return tuple(n.from_unit(unit) for n, unit in zip(self.numbers, units, strict=True))

    def make_versions(self, perturbation: Perturbation) -> tuple[bytes, bytes]:
        """The files of the two versions of an iteration."""
        plus, minus = (
            self.encode(
                [
                    round_by(value, rounding) if number.whole else value
                    for number, value, rounding in zip(
                        self.numbers, self.from_units(units), perturbation.rounding, strict=True
                    )
                ]
            )
            for units in (perturbation.plus, perturbation.minus)
        )
        return plus, minus

    def is_version(self, other: TunableSource) -> bool:
        """Whether two sources differ at most in the values of their numbers."""
        return len(self.numbers) == len(other.numbers) and self.write(
            [n.start for n in self.numbers]
        ) == other.write([n.start for n in self.numbers])


def read_tunable(path: Path) -> TunableSource:
    """Read a bot's file; LudusError if it declares nothing, or declares it wrongly."""
    data = read_source(path)
    tree = parse_bot_file(data, path)
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    text = data.decode(encoding)
    numbers = list(_find_numbers(path, text, tree))
    if not numbers:
        raise LudusError(
            f"{path} declares no number to tune; write behind a number of the file the bounds in"
            " which to search, for example: CORNER = 100  # tune: 0..200",
            f"{path} 没有声明要调整的参数；请在文件的某个数后面写上搜索的上下界，"
            "例如：CORNER = 100  # tune: 0..200",
        )
    if len(numbers) > MAX_PARAMETERS:
        raise LudusError(
            f"{path} declares {len(numbers)} numbers to tune; the most are {MAX_PARAMETERS}",
            f"{path} 声明了 {len(numbers)} 个要调整的参数；最多 {MAX_PARAMETERS} 个",
        )
    _refuse_other_assignments(path, tree, numbers)
    return TunableSource(text, encoding, tuple(numbers))


def split_lines(text: str) -> list[str]:
    """The lines of a source as Python counts them, with their ends."""
    return list(io.StringIO(text, newline=""))


def _find_numbers(path: Path, text: str, tree: ast.Module) -> Iterator[TunableNumber]:
    statements = {node.lineno: node for node in tree.body}
    lines = split_lines(text)
    for line, bounds in _find_declarations(text):
        match statements.get(line):
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if (start := _evaluate_number(value)) is not None and value.end_lineno == line:
                columns = _locate(value, lines[line - 1])
                yield _make_number(path, line, name, start, bounds, columns)
            case _:
                raise _error_at(
                    path,
                    line,
                    "“# tune:” belongs behind a number of the module, such as"
                    " CORNER = 100  # tune: 0..200",
                    "“# tune:” 应写在模块的一个数后面，例如 CORNER = 100  # tune: 0..200",
                )


def _find_declarations(text: str) -> Iterator[tuple[int, str]]:
    """The bounds that comments declare, with their lines."""
    for token in tokenize.generate_tokens(iter(split_lines(text)).__next__):
        if token.type == tokenize.COMMENT and (found := DECLARATION.search(token.string)):
            yield token.start[0], found["bounds"].strip()


def _evaluate_number(value: ast.expr) -> int | float | None:
    """The value of a number in the source, with or without a sign; None for anything else."""
    match value:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=number)):
            signed = True
        case ast.Constant(value=number):
            signed = False
        case _:
            return None
    if not isinstance(number, int | float) or isinstance(number, bool):
        return None
    return -number if signed else number


def _locate(value: ast.expr, line: str) -> tuple[int, int]:
    """The columns of an expression in its line; the syntax tree counts bytes of UTF-8."""
    data = line.encode()
    begin, end = (len(data[:at].decode()) for at in (value.col_offset, value.end_col_offset))
    return begin, end


def _make_number(
    path: Path, line: int, name: str, start: float, bounds: str, columns: tuple[int, int]
) -> TunableNumber:
    parsed = _parse_bounds(bounds)
    if parsed is None:
        raise _error_at(
            path,
            line,
            f"expected bounds such as “# tune: 0..200” or “# tune: 0..1 step 0.05”,"
            f" got “# tune: {bounds}”",
            f"应写明上下界，如 “# tune: 0..200” 或 “# tune: 0..1 step 0.05”；"
            f"得到 “# tune: {bounds}”",
        )
    low, high, step = parsed
    if not low < high:
        raise _error_at(
            path,
            line,
            f"the lower bound of {name} must be below the upper one, got {low:g}..{high:g}",
            f"{name} 的下界必须小于上界，得到 {low:g}..{high:g}",
        )
    if not low <= start <= high:
        raise _error_at(
            path,
            line,
            f"{name} is {start:g}, outside its bounds {low:g}..{high:g}",
            f"{name} 的值 {start:g} 超出上下界 {low:g}..{high:g}",
        )
    whole = isinstance(start, int)
    if whole and not (low.is_integer() and high.is_integer()):
        raise _error_at(
            path,
            line,
            f"{name} is a whole number, so its bounds must be, too, got {low:g}..{high:g};"
            f" or write {start}.0",
            f"{name} 是整数，上下界也必须是整数，得到 {low:g}..{high:g}；或写成 {start}.0",
        )
    if step is None:
        step = max(DEFAULT_STEP * (high - low), LEAST_WHOLE_STEP if whole else 0.0)
    least = LEAST_WHOLE_STEP if whole else 0.0
    if not (least <= step and 0 < step <= (high - low) / 2):
        raise _error_at(
            path,
            line,
            f"the step of {name} must be above 0 (of a whole number at least {LEAST_WHOLE_STEP})"
            f" and at most half of its range, got {step:g}",
            f"{name} 的步长必须大于 0（整数至少 {LEAST_WHOLE_STEP}），且不超过范围的一半，"
            f"得到 {step:g}",
        )
    return TunableNumber(name, start, low, high, step, whole, line, columns)


def _parse_bounds(text: str) -> tuple[float, float, float | None] | None:
    """``0..200`` or ``0..1 step 0.05`` as numbers; None if it is neither."""
    low, dots, rest = text.partition("..")
    high, word, step = rest.partition("step")
    try:
        found = float(low), float(high), float(step) if word else None
    except ValueError:
        return None
    finite = all(math.isfinite(each) for each in found if each is not None)
    return found if dots and finite else None


def _refuse_other_assignments(
    path: Path, tree: ast.Module, numbers: Sequence[TunableNumber]
) -> None:
    """A name that gets another value elsewhere would not have the one that is tuned."""
    declared = {number.name: number.line for number in numbers}
    for name, line in sorted(_list_assigned(tree), key=lambda found: found[1]):
        if name in declared and line != declared[name]:
            raise _error_at(
                path,
                line,
                f"{name} is assigned here and in line {declared[name]}; tuning needs the only"
                " assignment",
                f"{name} 在此处和第 {declared[name]} 行都被赋值；要调整的参数只能赋值一次",
            )


def _list_assigned(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The names that the module, or a function by ``global``, gives a value to."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del(), lineno=line):
                yield name, line
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Lambda():
                if not isinstance(node, ast.Lambda):
                    yield node.name, node.lineno
                yield from _list_globals(node)
            case ast.alias(name=name, asname=other, lineno=line):
                yield other or name.partition(".")[0], line
            case _:
                waiting.extend(ast.iter_child_nodes(node))


def _list_globals(function: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(function):
        if isinstance(node, ast.Global):
            yield from ((name, node.lineno) for name in node.names)


def _error_at(path: Path, line: int, en: str, zh: str) -> LudusError:
    return LudusError(f"{path}, line {line}: {en}", f"{path} 第 {line} 行：{zh}")
