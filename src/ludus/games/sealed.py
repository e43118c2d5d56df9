"""Classes that cannot be patched, like compiled ones, for rules that run as plain Python."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar, cast

T = TypeVar("T")


class SealedType(type):
    """Refuses to change its classes, with the errors of compiled ones."""

    def __setattr__(cls, name: str, value: Any) -> NoReturn:
        raise TypeError(f"cannot set {name!r} attribute of immutable type {cls.__qualname__!r}")

    def __delattr__(cls, name: str) -> NoReturn:
        raise TypeError(f"cannot delete {name!r} attribute of immutable type {cls.__qualname__!r}")


def seal_class(plain: type[T]) -> type[T]:
    """The same class, but its methods cannot be replaced.

    Bots of the originals play in the referee's process and share its classes, so a bot that
    patches one would change the rules for all. The class must not use ``super()``.
    """
    kept = {name: value for name, value in vars(plain).items() if name not in NOT_COPIED}
    made: Any = SealedType(plain.__name__, plain.__bases__, kept)
    return cast("type[T]", made)


NOT_COPIED = ("__dict__", "__weakref__")
