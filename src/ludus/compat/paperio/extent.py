"""How large a value from a file is once it is written out.

In a pickle a value may be used many times: sixty pairs, each of the one before twice, are 200
bytes, and 10¹⁸ brackets as text. Nothing here calls itself, hashes or compares what it is given.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

MAX_NODES = 12_000_000
"""Values in values, each counted as often as it is used."""
MAX_DEPTH = 100
MAX_SHOWN_VALUES = 200
"""Values in a value that may be shown in a sentence."""


class Composite:
    """What a file says of an object: its arguments and its state."""

    __slots__ = ()
    args: tuple[Any, ...]
    state: Any


def inner_values(value: Any) -> Iterable[Any] | None:
    """What a value holds; None of one that holds nothing."""
    kind = type(value)
    if kind is tuple or kind is list:
        return value  # type: ignore[no-any-return]
    if kind is dict:
        return value.values()  # type: ignore[no-any-return]
    return (value.args, value.state) if isinstance(value, Composite) else None


def is_bounded(top: Any, single: Collection[int] = ()) -> bool:
    """Whether a value is at most so large and so deep, and not inside itself.

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
    """Whether a value can be shown: it is looked at no further than that."""
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
    """A value in a sentence: its beginning, or its kind if it is large."""
    if is_small(value):
        return str(value)[:longest]
    return f"a large {'object' if isinstance(value, Composite) else type(value).__name__}"
