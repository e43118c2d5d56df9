"""stdout and stderr, through which nothing passes that would steer the terminal."""

from __future__ import annotations

import io
import sys
from typing import Any

from ludus.escape import escape_unsafe


class EscapingStream(io.TextIOWrapper):
    """Where everything that is printed is made safe for a terminal: the last gate, whoever prints
    and whatever they forgot. Rich writes past it, because it steers the terminal itself; its
    console has the same gate (``SafeConsole``)."""

    def write(self, text: str, /) -> int:
        super().write(escape_unsafe(text))
        return len(text)

    @property
    def unescaped(self) -> UnescapedStream:
        """For Rich alone, whose consoles must be ``SafeConsole`` where strangers are quoted."""
        return UnescapedStream(self)


class UnescapedStream:
    """The same stream as it is, for what steers the terminal on purpose."""

    def __init__(self, stream: EscapingStream) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return io.TextIOWrapper.write(self._stream, text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def install_escaping_streams() -> None:
    """Let nothing that is printed from now on steer the terminal."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and not isinstance(stream, EscapingStream):
            buffering = stream.line_buffering
            made = EscapingStream(
                stream.detach(), stream.encoding, "replace", line_buffering=buffering
            )
            setattr(sys, name, made)
            setattr(sys, f"__{name}__", made)
