"""Measures how large a value from a file would be as text.

In a pickle a value may be referenced many times: sixty nested pairs, each with the previous one
twice, take 200 bytes, but have 10¹⁸ brackets as text. So nothing here recurses into, hashes or
compares the values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

MAX_NODES = 12_000_000
"""The most nested values, each counted as often as it is referenced."""
MAX_DEPTH = 100
MAX_SHOWN_VALUES = 200
"""The most nested values in a value that is shown in a message."""


class Composite:
    """An object from a file: its arguments and its state."""

    __slots__ = ()
    args: tuple[Any, ...]
    state: Any


def inner_values(value: Any) -> Iterable[Any] | None:
    """The values inside a value; None if it is not a container."""
    kind = type(value)
    if kind is tuple or kind is list:
        return value  # type: ignore[no-any-return]
    if kind is dict:
        return value.values()  # type: ignore[no-any-return]
    return (value.args, value.state) if isinstance(value, Composite) else None


def is_bounded(top: Any, single: Collection[int] = ()) -> bool:
    """Whether a value is within the limits of size and depth, and does not contain itself.

    ``single``: the ``id`` of values that count as one. Takes time for each value once.
    """
    sizes: dict[int, tuple[int, int]] = {}
    begun: set[int] = set()
    waiting = [top]
    while waiting:
        value = waiting[-1]
        key, inner = id(value), inner_values(value)
        if key in sizes or key in single or inner is None:
            waiting.pop()
        elif key in begun:
            waiting.pop()
            held = [sizes[id(part)] for part in inner if id(part) in sizes]
            nodes = 1 + len(list(inner)) + sum(size for size, _ in held)
            depth = 1 + max((deep for _, deep in held), default=0)
            if nodes > MAX_NODES or depth > MAX_DEPTH:
                return False
            sizes[key] = nodes, depth
        else:
            begun.add(key)
            for part in inner:
                if id(part) in begun and id(part) not in sizes:
                    return False  # inside itself
                waiting.append(part)
    return True


def is_small(top: Any) -> bool:
    """Whether a value is small enough to be shown; examined no further than needed."""
    waiting, count = [top], 0
    while waiting:
        count += 1
        if count > MAX_SHOWN_VALUES:
            return False
        inner = inner_values(waiting.pop())
        if inner is not None:
            for part in inner:
                waiting.append(part)
                if len(waiting) > MAX_SHOWN_VALUES:
                    return False
    return True


def summarise_value(value: Any, longest: int = 60) -> str:
    """A value for a message: the beginning of its text, or its type if it is large."""
    if is_small(value):
        return str(value)[:longest]
    return f"a large {'object' if isinstance(value, Composite) else type(value).__name__}"
