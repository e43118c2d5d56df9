"""The answers of a GTP engine: ``= result`` or ``? error``, each ended by an empty line."""

from __future__ import annotations

import re
from typing import NamedTuple

from ludus.sandbox.bot_fault import BotFault, FaultKind

MAX_ANSWER_BYTES = 64 << 10
"""The longest answer; list_commands of large engines has a few kilobytes."""
SHOWN_BYTES = 80
END = b"\n\n"
IGNORED = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")
"""Control characters other than tab and line feed, which GTP ignores."""
HEAD = re.compile(r"([=?])\d*[ \t]*")


class GtpAnswer(NamedTuple):
    """One answer of an engine."""

    good: bool
    """Whether it began with ``=``."""
    text: str
    """The result, or the error message."""


class GtpAnswerReader:
    """Collects an engine's bytes into answers; a ``MessageReader``.

    It holds at most one incomplete answer, and its work is proportional to the bytes it is fed.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> GtpAnswer | None:
        """The answer, once it is complete. Anything but empty lines after it is a fault."""
        start = max(len(self._buffer) - 1, 0)
        self._buffer += IGNORED.sub(b"", data)
        if start == 0:
            del self._buffer[: len(self._buffer) - len(self._buffer.lstrip())]
        self._refuse_bad_beginning()
        end = self._buffer.find(END, start)
        if end < 0 and len(self._buffer) <= MAX_ANSWER_BYTES:
            return None
        if end < 0 or end > MAX_ANSWER_BYTES:
            raise BotFault(
                FaultKind.OUTPUT,
                f"its answer is longer than {MAX_ANSWER_BYTES >> 10} kB",
                f"它的回答超过 {MAX_ANSWER_BYTES >> 10} kB",
            )
        answer, rest = bytes(self._buffer[:end]), bytes(self._buffer[end:])
        self._buffer.clear()
        self.feed_unasked(rest)
        return _parse_answer(answer)

    def feed_unasked(self, data: bytes) -> None:
        """BotFault unless the bytes are empty lines, which are harmless."""
        if spare := IGNORED.sub(b"", data).strip():
            shown = spare[:SHOWN_BYTES].decode(errors="backslashreplace")
            raise BotFault(
                FaultKind.OUTPUT,
                f"it answered again before it was asked: {shown!r}",
                f"裁判尚未询问，它就又回答了：{shown!r}",
            )

    @property
    def incomplete(self) -> str:
        """The beginning of an answer that has not ended yet."""
        return self._buffer[:SHOWN_BYTES].decode(errors="backslashreplace")

    def _refuse_bad_beginning(self) -> None:
        if self._buffer and not self._buffer.startswith((b"=", b"?")):
            shown = self.incomplete
            raise BotFault(
                FaultKind.OUTPUT,
                f"it wrote {shown!r}, but a GTP answer begins with = or ?;"
                " does it print to stdout?",
                f"它输出了 {shown!r}，而 GTP 的回答应以 = 或 ? 开头；是否打印到了 stdout？",
            )


def _parse_answer(data: bytes) -> GtpAnswer:
    text = data.decode(errors="backslashreplace")
    head = HEAD.match(text)
    assert head is not None
    return GtpAnswer(head[1] == "=", text[head.end() :].strip())
