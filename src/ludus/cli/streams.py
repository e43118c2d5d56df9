"""stdout and stderr that escape control characters."""

from __future__ import annotations

import io
import sys

from ludus.escape import escape_unsafe

TYPE_CHECKING = False  # as in typing, which every command would wait for
if TYPE_CHECKING:
    from typing import Any


class EscapingStream(io.TextIOWrapper):
    """Escapes control characters in everything that is printed, so that untrusted text cannot
    control the terminal even where the code that prints it forgets to escape. Rich bypasses it,
    because it controls the terminal on purpose; its ``SafeConsole`` escapes text itself."""

    def write(self, text: str, /) -> int:
        super().write(escape_unsafe(text))
        return len(text)

    @property
    def unescaped(self) -> UnescapedStream:
        """For Rich only, whose consoles must be ``SafeConsole`` where untrusted text is shown."""
        return UnescapedStream(self)


class UnescapedStream:
    """The same stream without escaping, for code that controls the terminal on purpose."""

    def __init__(self, stream: EscapingStream) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return io.TextIOWrapper.write(self._stream, text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def install_escaping_streams() -> None:
    """Replace stdout and stderr by streams that escape control characters."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and not isinstance(stream, EscapingStream):
            buffering = stream.line_buffering
            escaping = EscapingStream(
                stream.detach(), stream.encoding, "replace", line_buffering=buffering
            )
            setattr(sys, name, escaping)
            setattr(sys, f"__{name}__", escaping)
