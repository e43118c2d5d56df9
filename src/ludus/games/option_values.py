"""The values of options: their types, bounds and choices."""

from __future__ import annotations

import dataclasses
from typing import Any

from ludus.errors import LudusError
from ludus.lang import Text

TYPE_NAMES = {
    bool: Text("true or false", "真或假（true、false）"),
    int: Text("a whole number", "整数"),
    float: Text("a number", "数"),
    tuple: Text("whole numbers with commas between", "以逗号分隔的整数"),
}
"""What the value of an option is, by the type of its default."""


def check_bounds(field: dataclasses.Field[Any], value: Any) -> None:
    """Raise LudusError for a value that is not among an option's choices or out of its bounds."""
    low, high = field.metadata.get("low"), field.metadata.get("high")
    choices = field.metadata.get("choices")
    if choices is not None and value not in choices:
        one_of = ", ".join(choices)
        raise LudusError(
            f"option {field.name} must be one of {one_of}, got {value!r}",
            f"选项 {field.name} 只能是 {one_of} 之一，得到 {value!r}",
        )
    if (low is not None and value < low) or (high is not None and value > high):
        raise LudusError(
            f"option {field.name} must be between {low} and {high}, got {value}",
            f"选项 {field.name} 必须在 {low} 到 {high} 之间，得到 {value}",
        )


def convert_value(field: dataclasses.Field[Any], value: Any) -> Any:
    """A text or JSON value as the type of an option's default; LudusError if it cannot be."""
    kind: type = type(field.default)
    try:
        if kind is bool:
            return _as_bool(value)
        if kind is tuple:
            parts = value.split(",") if isinstance(value, str) else value
            return tuple(int(part) for part in parts)
        if kind is int and isinstance(value, float):
            raise ValueError(value)
        return kind(value)
    except (TypeError, ValueError):
        wanted = TYPE_NAMES.get(kind, Text(f"of type {kind.__name__}", kind.__name__))
        raise LudusError(
            f"option {field.name} must be {wanted.en}, got {value!r}",
            f"选项 {field.name} 应为{wanted.zh}，得到 {value!r}",
        ) from None


def _as_bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    known = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    if (text := str(value).lower()) in known:
        return known[text]
    raise ValueError(value)
