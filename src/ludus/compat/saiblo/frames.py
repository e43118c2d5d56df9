"""The frames of the Saiblo protocol: where one message ends and the next begins.

Integers are 4 bytes, big-endian, signed.

- Judger to logic, AI to judger: a length, then that many bytes.
- Logic to judger: a length, a target, then that many bytes. Target -1 is the judger itself, and the
  bytes are JSON (``ludus.compat.saiblo.messages``); target k is AI k, which gets the bytes as they
  are.
- Judger to AI: no frames, only the bytes.

Both readers get the bytes as they come out of a pipe, in any pieces. Nearly always a piece is one
whole frame, so that case is tested first and copies nothing but the body.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from ludus.compat.saiblo.logic_error import LogicError, LogicErrorCode
from ludus.compat.saiblo.versions import AiErrorKind, ProtocolVersion

TO_JUDGER = -1
MAX_LOGIC_FRAME_BYTES = 16 << 20
"""Bytes that a logic may send in one frame. The original had no limit."""

_SIZE = struct.Struct(">i").unpack_from
_SIZE_AND_TARGET = struct.Struct(">ii").unpack_from


def encode_frame(body: bytes) -> bytes:
    """A body with its length before it."""
    return len(body).to_bytes(4, "big") + body


class FrameBuffer:
    """The beginning of a frame whose rest has not come yet.

    The pieces are joined only when there are enough of them: a frame of 16 MB that comes in pieces
    of 64 kB is copied once, not 256 times.
    """

    def __init__(self) -> None:
        self._chunks: list[bytes] = []
        self.size = 0
        self._need = 0

    def add_and_take(self, data: bytes) -> bytes:
        """Add a piece; take everything if it may hold a whole frame, else nothing."""
        if not self.size:
            return data
        self._chunks.append(data)
        self.size += len(data)
        if self.size < self._need:
            return b""
        data = b"".join(self._chunks)
        self.store_rest(b"", 0)
        return data

    def store_rest(self, rest: bytes, need: int) -> None:
        """Keep what is left over until there are at least ``need`` bytes."""
        self._chunks = [rest]
        self.size, self._need = len(rest), need


class LogicFrameReader:
    """Splits a logic's output into frames."""

    def __init__(self) -> None:
        self.buffer = FrameBuffer()

    def feed(self, data: bytes) -> Iterable[tuple[int, bytes]]:
        """The target and body of each frame that is whole now.

        Raises LogicError for a length that is negative or too large.
        """
        if not self.buffer.size and len(data) > 8:
            size, target = _SIZE_AND_TARGET(data)
            if size == len(data) - 8:
                return ((target, data[8:]),)
        return self._split(data)

    def _split(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        buffer = self.buffer.add_and_take(data)
        at, end, need = 0, len(buffer), 8
        while end - at >= 8:
            size, target = _SIZE_AND_TARGET(buffer, at)
            if not 0 <= size <= MAX_LOGIC_FRAME_BYTES:
                raise _frame_size_error(size)
            if end - at < 8 + size:
                need = 8 + size
                break
            start, at = at + 8, at + 8 + size
            if size:
                yield target, buffer[start:at]
        if at < end:
            self.buffer.store_rest(buffer[at:], need)


def _frame_size_error(size: int) -> LogicError:
    if size < 0:
        en, zh = f"it announced a frame of {size} bytes", f"它声明了长度为 {size} 字节的帧"
    else:
        en = f"it announced a frame of {size} bytes, the limit is {MAX_LOGIC_FRAME_BYTES}"
        zh = f"它声明了 {size} 字节的帧，上限为 {MAX_LOGIC_FRAME_BYTES}"
    return LogicError(LogicErrorCode.RUN, en, zh)


class AnswerTooLong(Exception):
    """An AI's frame is longer than allowed; nothing after it is read."""


class InvalidAnswerLength(Exception):
    """An AI sent a negative length that means nothing in this version."""


class AnswerReader:
    """Splits an AI's output into answers.

    A length that is not allowed leads to one of three things, depending on the version: the AI is
    reported (``AnswerTooLong``, ``InvalidAnswerLength``), the frame is skipped, or, for -1, all the
    rest of its output is one answer.
    """

    def __init__(self, version: ProtocolVersion) -> None:
        self._version = version
        self._pending = FrameBuffer()
        self._skip = 0
        """Bytes of a frame that is too long and still to be skipped."""
        self._rest: list[bytes] | None = None
        """All output since the length -1; None if there was none."""
        self._at_frame_boundary = True
        """Whether nothing is left of what came before."""

    def feed(self, data: bytes, limit: int) -> Iterable[bytes]:
        """The answers that are whole now, each of at most ``limit`` bytes.

        Raises AnswerTooLong or InvalidAnswerLength after the last good one.
        """
        if self._at_frame_boundary and len(data) > 4:
            (size,) = _SIZE(data)
            if size == len(data) - 4 and size <= limit:
                return (data[4:],)
        return self._split(data, limit)

    def _split(self, data: bytes, limit: int) -> Iterator[bytes]:
        buffer = self._pending.add_and_take(data)
        at, end, need = 0, len(buffer), 4
        while self._rest is None:
            if self._skip:
                skipped = min(self._skip, end - at)
                at, self._skip = at + skipped, self._skip - skipped
            if end - at < 4:
                break
            (size,) = _SIZE(buffer, at)
            if not 0 <= size <= limit:
                at += 4
                self._handle_invalid_size(size)
                continue
            if end - at < 4 + size:
                need = 4 + size
                break
            start, at = at + 4, at + 4 + size
            if size or self._version.empty_answers:
                yield buffer[start:at]
        if self._rest is not None:
            self._rest.append(buffer[at:])
        elif at < end:
            self._pending.store_rest(buffer[at:], need)
        self._at_frame_boundary = self._rest is None and not self._skip and not self._pending.size

    def _handle_invalid_size(self, size: int) -> None:
        if size == -1 and self._version.rest_is_message:
            self._rest = []
        elif size < 0:
            raise InvalidAnswerLength
        elif AiErrorKind.LENGTH in self._version.error_logs:
            raise AnswerTooLong
        else:
            self._skip = size

    def take_unframed_message(self) -> bytes:
        """At the end of the output: everything since the length -1, or nothing."""
        return b"".join(self._rest or [])
