"""The messages of limited processes on a socket: a length, then MessagePack."""

from __future__ import annotations

import errno
import socket
import struct
from pathlib import Path
from typing import Any

import msgspec

from ludus.bots.languages.base import Language
from ludus.bots.languages.registry import BY_NAME

LENGTH_HEADER = struct.Struct("<Q")
CHUNK_BYTES = 1 << 20
MAX_MESSAGE_BYTES = 1 << 30


class CallReply(msgspec.Struct, omit_defaults=True):
    """The result of a call; exactly one of the first four fields is set."""

    value: msgspec.Raw = msgspec.Raw(b"")
    refused: tuple[str, str, str, str, str] | None = None
    """A LudusError: the class, both languages, the detail, the code."""
    system: tuple[int, str] | None = None
    """An OSError."""
    exceeded: str = ""
    """``cpu``, ``wall``, ``memory``, ``depth``, ``odd``, or a signal that ended the process."""
    trace: str = ""
    """The traceback of an unexpected exception, for the log."""
    imported: list[str] = []
    """Ludus modules that the call imported; the waiting process imports them for later calls."""


def encode(value: Any) -> Any:
    """The msgspec hook for values that MessagePack does not support."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Language):
        return value.name
    raise NotImplementedError(f"{type(value).__name__} cannot be encoded")


def decode(kind: type, value: Any) -> Any:
    """The reverse of ``encode``."""
    if kind is Path:
        return Path(value)
    if kind is Language:
        return BY_NAME[value]
    raise NotImplementedError(f"{kind.__name__} cannot be decoded")


def send(connection: socket.socket, message: bytes) -> None:
    connection.sendall(LENGTH_HEADER.pack(len(message)))
    connection.sendall(message)


def receive(connection: socket.socket) -> bytearray:
    """The next message; OSError if the connection ends within it."""
    (length,) = LENGTH_HEADER.unpack(_receive_exactly(connection, LENGTH_HEADER.size))
    if length > MAX_MESSAGE_BYTES:
        raise OSError(errno.EMSGSIZE, "the message is too long")
    return _receive_exactly(connection, length)


def _receive_exactly(connection: socket.socket, size: int) -> bytearray:
    data = bytearray(size)
    view, done = memoryview(data), 0
    while done < size:
        count = connection.recv_into(view[done:], min(CHUNK_BYTES, size - done))
        if not count:
            raise OSError(errno.EPIPE, "the connection was closed")
        done += count
    return data
