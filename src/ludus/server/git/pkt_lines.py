"""The line format of git's protocol, and the bands in which an answer is multiplexed."""

from __future__ import annotations

from collections.abc import Iterator

from ludus.errors import LudusError

FLUSH = b"0000"
MAX_PAYLOAD_BYTES = 65515
"""The most bytes of one band's packet."""
DATA_BAND, PROGRESS_BAND, ERROR_BAND = 1, 2, 3
LENGTH_BYTES = 4


class GitProtocolError(LudusError):
    """The bytes received are not what git's protocol says."""

    code = "git_protocol"

    def __init__(self, en: str, zh: str, detail: str = "", *, code: str = "") -> None:
        super().__init__(
            f"this is not git's protocol: {en}", f"不符合 git 协议：{zh}", detail, code=code
        )


def encode_line(payload: bytes) -> bytes:
    return f"{len(payload) + LENGTH_BYTES:04x}".encode() + payload


def encode_band(band: int, data: bytes) -> bytes:
    """Data in packets of one band."""
    return b"".join(
        encode_line(bytes([band]) + data[start : start + MAX_PAYLOAD_BYTES])
        for start in range(0, len(data), MAX_PAYLOAD_BYTES)
    )


def split_line(data: bytes, start: int) -> tuple[bytes | None, int]:
    """The line at a place, None for a flush, and the place after it."""
    word = data[start : start + LENGTH_BYTES]
    try:
        length = int(word, 16)
    except ValueError:
        raise GitProtocolError("a line without a length", "有一行没有长度") from None
    if length == 0:
        return None, start + LENGTH_BYTES
    end = start + length
    if length < LENGTH_BYTES or end > len(data) or len(word) < LENGTH_BYTES:
        raise GitProtocolError("a line is cut off", "有一行不完整")
    return data[start + LENGTH_BYTES : end], end


def iter_lines(data: bytes, start: int = 0) -> Iterator[tuple[bytes | None, int]]:
    """All lines from a place on, each with the place after it; None is a flush."""
    while start < len(data):
        line, start = split_line(data, start)
        yield line, start
