"""The code of the process that waits for calls, and of the child that it forks for each call."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import select
import signal
import socket
import sys
import time
import traceback
import typing
from collections.abc import Callable
from typing import Any, NoReturn

import msgspec

from ludus.bots.limited_calls.bounds import Bounds, confine
from ludus.bots.limited_calls.messages import (
    CHUNK_BYTES,
    MAX_MESSAGE_BYTES,
    CallReply,
    decode,
    encode,
    receive,
    send,
)
from ludus.errors import LudusError
from ludus.workers.parent_death import die_with_parent


def main() -> None:
    """Answer calls until the connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection = socket.socket(fileno=int(sys.argv[1]))
    with contextlib.suppress(OSError):
        while True:
            reply = _run_in_child(connection, bytes(receive(connection)))
            send(connection, msgspec.msgpack.encode(reply))


def _run_in_child(connection: socket.socket, order: bytes) -> CallReply:
    """Run a call in a child process, which is killed when its wall time is over."""
    target, bounds, _ = msgspec.msgpack.decode(order, type=tuple[str, Bounds, msgspec.Raw])
    function = _resolve_function(target)  # imported here, once for all calls
    reading, writing = os.pipe2(os.O_CLOEXEC)
    try:
        child = os.fork()
    except OSError as error:
        os.close(reading)
        os.close(writing)
        return CallReply(system=(error.errno or errno.EAGAIN, error.strerror or ""))
    if not child:
        connection.close()
        os.close(reading)
        _call_and_exit(function, order, bounds, writing)
    os.close(writing)
    try:
        output, late = _read_reply(reading, connection, time.monotonic() + bounds.wall)
    finally:
        os.close(reading)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if late:
        return CallReply(exceeded="wall")
    with contextlib.suppress(msgspec.MsgspecError):
        reply = msgspec.msgpack.decode(output, type=CallReply)
        _import_ahead(reply.imported)
        reply.imported = []
        return reply
    return CallReply(exceeded=_describe_exit(status))


def _resolve_function(target: str) -> Callable[..., Any]:
    module, _, name = target.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


def _read_reply(reading: int, connection: socket.socket, until: float) -> tuple[bytes, bool]:
    """The child's output until it closes the pipe, and whether it was too late.

    OSError if the caller has gone away (it may have been killed); then this process ends.
    """
    poll = select.poll()
    poll.register(reading, select.POLLIN)
    poll.register(connection, select.POLLRDHUP)
    output = bytearray()
    while (left := until - time.monotonic()) > 0:
        for fd, _ in poll.poll(left * 1000 + 1):
            if fd != reading:
                raise OSError(errno.EPIPE, "the caller is gone")
            data = os.read(reading, CHUNK_BYTES)
            output += data
            if not data or len(output) > MAX_MESSAGE_BYTES:
                return bytes(output), False
    return b"", True


def _import_ahead(names: list[str]) -> None:
    """Import modules here once instead of in every child; only modules of Ludus."""
    for name in names[:100]:
        if name.startswith("ludus."):
            with contextlib.suppress(Exception):
                importlib.import_module(name)


def _describe_exit(status: int) -> str:
    if not os.WIFSIGNALED(status):
        return f"exit code {os.waitstatus_to_exitcode(status)}"
    number = os.WTERMSIG(status)
    return "cpu" if number == signal.SIGXCPU else signal.Signals(number).name


# In the child


def _call_and_exit(
    function: Callable[..., Any], order: bytes, bounds: Bounds, writing: int
) -> NoReturn:
    code = 1
    try:
        die_with_parent()
        confine(bounds)
        before = set(sys.modules)
        reply = _make_reply(function, order)
        reply.imported = [name for name in set(sys.modules) - before if name.startswith("ludus.")]
        data = msgspec.msgpack.encode(reply)
        with open(writing, "wb", closefd=False) as pipe:
            pipe.write(data)
        code = 0
    finally:
        os._exit(code)


def _make_reply(function: Callable[..., Any], order: bytes) -> CallReply:
    try:
        hints = typing.get_type_hints(function)
        kinds = tuple(kind for name, kind in hints.items() if name != "return")
        wanted = tuple[str, Bounds, tuple[kinds]]  # type: ignore[valid-type]
        _, _, args = msgspec.msgpack.decode(order, type=wanted, dec_hook=decode)
        value = function(*args)
        return CallReply(value=msgspec.Raw(msgspec.msgpack.encode(value, enc_hook=encode)))
    except LudusError as error:
        kind = f"{type(error).__module__}:{type(error).__qualname__}"
        en, zh = error.text["en"], error.text["zh"]
        return CallReply(refused=(kind, en, zh, error.detail, error.code))
    except OSError as error:
        return CallReply(system=(error.errno or errno.EIO, error.strerror or str(error)))
    except MemoryError:
        return CallReply(exceeded="memory")
    except RecursionError:
        return CallReply(exceeded="depth")
    except Exception as error:
        return CallReply(exceeded="odd", trace="".join(traceback.format_exception(error)))
