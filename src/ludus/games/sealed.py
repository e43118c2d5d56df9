"""Classes that cannot be patched: what compiling gives the rules, for those that run uncompiled."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar, cast

T = TypeVar("T")


class SealedType(type):
    """Refuses to change its classes, in the words of a compiled one."""

    def __setattr__(cls, name: str, value: Any) -> NoReturn:
        raise TypeError(f"cannot set {name!r} attribute of immutable type {cls.__qualname__!r}")

    def __delattr__(cls, name: str) -> NoReturn:
        raise TypeError(f"cannot delete {name!r} attribute of immutable type {cls.__qualname__!r}")


def seal_class(plain: type[T]) -> type[T]:
    """The same class, but nobody can put other methods in it.

    Bots of the originals play in the referee's process and share its classes, so a bot that
    patches one would change the rules for everybody. The class must not use ``super()``.
    """
    kept = {name: value for name, value in vars(plain).items() if name not in NOT_COPIED}
    made: Any = SealedType(plain.__name__, plain.__bases__, kept)
    return cast("type[T]", made)


NOT_COPIED = ("__dict__", "__weakref__")
