"""Shapes that are laid over a board: arrows, rings and marks.

An analysis draws best moves with them, a bot's note what it thought. They are part of the board
language: cells are numbers, row × columns + column, as in ``marks`` of a view::

    {"kind": "arrow", "cell": 12, "to": 20, "tone": "good"}
    {"kind": "ring", "cell": 20}
    {"kind": "mark", "cell": 3, "tone": "bad", "text": "-12"}

An arrow begins on ``cell`` and ends on ``to``. A ring is drawn around a cell and a mark tints it;
both may have a short ``text``. ``tone`` is a meaning, and the page chooses its colour.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict, get_args

from ludus.lang import Text

ShapeKind = Literal["arrow", "ring", "mark"]
ShapeTone = Literal["plain", "good", "doubtful", "bad"]
SHAPE_KINDS: tuple[str, ...] = get_args(ShapeKind)
SHAPE_TONES: tuple[str, ...] = get_args(ShapeTone)
MAX_SHAPES = 200
"""The most shapes over one position."""
MAX_SHAPE_TEXT_CHARS = 8
"""The longest text of a shape: it has to fit into a cell."""


class BoardShape(TypedDict):
    """An arrow, a ring or a mark over a board."""

    kind: ShapeKind
    cell: int
    to: NotRequired[int]
    """Of an arrow: the cell on which it ends."""
    tone: NotRequired[ShapeTone]
    """``plain`` if left out."""
    text: NotRequired[str]
    """A few characters in a ring or a mark."""


def find_shape_problem(shape: Any, cells: int) -> Text:
    """What is wrong with a shape over a board of so many cells; empty if nothing is."""
    if not isinstance(shape, Mapping):
        came = _quote(shape)
        return Text(f"{came} is not an object", f"{came} 不是对象")
    if shape.get("kind") not in SHAPE_KINDS:
        return _describe_choice("kind", shape.get("kind"), SHAPE_KINDS)
    ends = ("cell", "to") if shape["kind"] == "arrow" else ("cell",)
    for name in ends:
        if not _is_cell(shape.get(name), cells):
            came, last = _quote(shape.get(name)), cells - 1
            return Text(
                f"{name} is {came}, not a cell from 0 to {last}",
                f"{name} 是 {came}，不是 0 到 {last} 的格子",
            )
    if shape.get("tone", "plain") not in SHAPE_TONES:
        return _describe_choice("tone", shape["tone"], SHAPE_TONES)
    text = shape.get("text", "")
    if not isinstance(text, str) or len(text) > MAX_SHAPE_TEXT_CHARS:
        came = _quote(text)
        return Text(
            f"text is {came}, not at most {MAX_SHAPE_TEXT_CHARS} characters",
            f"text 是 {came}，应为最多 {MAX_SHAPE_TEXT_CHARS} 个字符",
        )
    return Text("", "")


def _describe_choice(name: str, value: Any, known: tuple[str, ...]) -> Text:
    came, names = _quote(value), ", ".join(known)
    return Text(f"{name} is {came}, not one of {names}", f"{name} 是 {came}，应为 {names} 之一")


def _is_cell(value: Any, cells: int) -> bool:
    return type(value) is int and 0 <= value < cells


def _quote(value: Any) -> str:
    """A value in a message; one of the wrong type is named by its type, as it may be huge."""
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and len(value) <= 40:
        return repr(value)
    if isinstance(value, int) and abs(value) < 10**12:
        return str(value)
    return f"a {type(value).__name__}"
