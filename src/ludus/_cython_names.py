"""What ``import cython`` gives where Cython is not installed: the names that Ludus uses, in Python.

Compiled modules do not import Cython, and sources that run uncompiled need only its names: types
and decorators that mean nothing to Python. Cython itself takes more room than Ludus.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

compiled = False
"""As in Cython: whether the code that asks is compiled."""

_NOT_GIVEN = object()


class _CType:
    """A number of C. Called, it converts to the Python number of the same kind; an index makes an
    array or a memory view of it."""

    def __init__(self, kind: type) -> None:
        self.kind = kind

    def __call__(self, value: Any = 0) -> Any:
        return self.kind(value)

    def __getitem__(self, size: Any) -> _CArray:
        return _CArray(self, size)


class _CArray:
    """An array of C, or a memory view, which is only ever named."""

    def __init__(self, of: _CType, size: Any) -> None:
        self.of = of
        self.size = size

    def __call__(self) -> list[Any]:
        return [self.of()] * self.size


class _Lock:
    """``nogil`` and ``gil``: decorators, and contexts that change nothing."""

    def __call__(self, decorated: Any) -> Any:
        return decorated

    def __enter__(self) -> None:
        return None

    def __exit__(self, *error: object) -> None:
        return None


bint = _CType(bool)
char = schar = uchar = short = ushort = int = uint = _CType(builtins.int)
long = ulong = longlong = ulonglong = size_t = Py_ssize_t = int
float = double = _CType(builtins.float)
p_double = p_int = p_short = p_uchar = p_ulonglong = void = None

gil = nogil = _Lock()


def cclass(decorated: Any) -> Any:
    """The class, as it is."""
    return decorated


cfunc = ccall = inline = final = internal = no_gc = no_gc_clear = noexcept = cclass


def boundscheck(*values: Any, **types: Any) -> Callable[[Any], Any]:
    """A decorator that changes nothing."""
    return cclass


binding = wraparound = cdivision = overflowcheck = auto_pickle = boundscheck
exceptval = freelist = locals = returns = boundscheck


def cast(kind: Any, value: Any) -> Any:
    """A number converted; anything else as it is."""
    return kind(value) if isinstance(kind, _CType) else value


def declare(kind: Any = None, value: Any = _NOT_GIVEN, **_options: Any) -> Any:
    """The value as a number of that kind, or what C would start with."""
    if value is not _NOT_GIVEN:
        return cast(kind, value)
    return kind() if isinstance(kind, _CType | _CArray) else None
