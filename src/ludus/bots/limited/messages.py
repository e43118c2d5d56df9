"""Calls and replies as they travel over a socket: a length, then MessagePack."""

from __future__ import annotations

import errno
import socket
import struct
from pathlib import Path
from typing import Any

import msgspec

from ludus.bots.languages import BY_NAME
from ludus.bots.languages.language import Language

LENGTH_HEADER = struct.Struct("<Q")
CHUNK_BYTES = 1 << 20
MAX_MESSAGE_BYTES = 1 << 30


class CallReply(msgspec.Struct, omit_defaults=True):
    """What comes back; of all the fields one is filled."""

    value: msgspec.Raw = msgspec.Raw(b"")
    refused: tuple[str, str, str, str, str] | None = None
    """A LudusError: the class, both languages, the detail, the code."""
    system: tuple[int, str] | None = None
    """An OSError."""
    exceeded: str = ""
    """``cpu``, ``wall``, ``memory``, ``depth``, ``odd``, or a signal that ended the process."""
    trace: str = ""
    """Of an error that nobody expected, for the log."""
    imported: list[str] = []
    """Modules of ours that the call needed: the waiting process imports them for the next."""


def encode(value: Any) -> Any:
    """For msgspec: values that MessagePack does not have."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Language):
        return value.name
    raise NotImplementedError(f"{type(value).__name__} cannot travel")


def decode(kind: type, value: Any) -> Any:
    """The reverse of ``encode``."""
    if kind is Path:
        return Path(value)
    if kind is Language:
        return BY_NAME[value]
    raise NotImplementedError(f"{kind.__name__} cannot travel")


def send(line: socket.socket, message: bytes) -> None:
    line.sendall(LENGTH_HEADER.pack(len(message)))
    line.sendall(message)


def receive(line: socket.socket) -> bytearray:
    """The next message; OSError if the line ends within it."""
    (length,) = LENGTH_HEADER.unpack(_receive_exactly(line, LENGTH_HEADER.size))
    if length > MAX_MESSAGE_BYTES:
        raise OSError(errno.EMSGSIZE, "too long a message")
    return _receive_exactly(line, length)


def _receive_exactly(line: socket.socket, size: int) -> bytearray:
    data = bytearray(size)
    view, done = memoryview(data), 0
    while done < size:
        count = line.recv_into(view[done:], min(CHUNK_BYTES, size - done))
        if not count:
            raise OSError(errno.EPIPE, "the line ended")
        done += count
    return data
