"""Calls a function in a process that may use little, for everything that strangers send.

What parses or walks a stranger's files can be made to take for ever, to eat the memory, or to end
the interpreter; no care in the code that reads can rule that out. So it is done in a process that
is stopped at its limits, and the caller gets a sentence instead of going down with it:

    found = limited.call(study, folder, "reversi")

A process that has imported what is needed waits for calls and forks for each of them, so a call
costs some milliseconds. Arguments and results travel as MessagePack by the function's annotations,
never as pickles: whatever takes over the reader can only answer with data of the type expected.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import importlib
import os
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import traceback
import typing
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, TypeVar

import msgspec

from ludus.bots.fault import PlatformFault
from ludus.bots.sandbox import kernel
from ludus.errors import LudusError

P = ParamSpec("P")
R = TypeVar("R")

START = "from ludus.bots.limited import main; main()"
LENGTH = struct.Struct("<Q")
CHUNK = 1 << 20
MOST_REPLY = 1 << 30
KEPT = 2
"""Processes that wait for the next call."""
PR_SET_PDEATHSIG = 1


class Bounds(msgspec.Struct, frozen=True):
    """What one call may use."""

    cpu: int = 20
    """Seconds of computing."""
    wall: float = 60.0
    """Seconds by the clock."""
    memory: int = 2 << 30
    """Bytes of address space."""
    file_size: int = 0
    """Bytes of a file that is written; 0: none is."""


USUAL = Bounds()
STRICT = Bounds(cpu=5, wall=30.0, memory=3 << 29)
"""For what is read for the first time: whatever passes here will not fail under the usual bounds
later, when others would have to wait for it."""


class Exceeded(LudusError):
    """The call was stopped at a limit, or its process died of what it read."""


class _Reply(msgspec.Struct, omit_defaults=True):
    """What comes back; of all the fields one is filled."""

    value: msgspec.Raw = msgspec.Raw(b"")
    refused: tuple[str, str, str, str] | None = None
    """A LudusError: the class, both languages, the detail."""
    system: tuple[int, str] | None = None
    """An OSError."""
    exceeded: str = ""
    """``cpu``, ``wall``, ``memory``, ``depth``, ``odd``, or a signal that ended the process."""
    trace: str = ""
    """Of an error that nobody expected, for the log."""
    imported: list[str] = []
    """Modules of ours that the call needed: the waiting process imports them for the next."""


def call(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """What a function of a module returns, computed under the usual bounds."""
    assert not kwargs, "arguments travel by place"
    return bounded(USUAL, function, *args)


def bounded(bounds: Bounds, function: Callable[..., R], *args: Any) -> R:
    """The same under other bounds.

    Raises the LudusError or OSError that the function raises, ``Exceeded`` when it was stopped
    or died, and PlatformFault when no process could be started.
    """
    target = f"{function.__module__}:{function.__qualname__}"
    order = msgspec.msgpack.encode([target, bounds, list(args)], enc_hook=_encode)
    reply = _answered(order, bounds)
    if reply.refused is not None:
        raise _refusal(*reply.refused)
    if reply.system is not None:
        raise OSError(*reply.system)
    if reply.exceeded:
        if reply.trace:
            print(reply.trace, file=sys.stderr)
        raise _stopped(reply.exceeded, bounds)
    expected = typing.get_type_hints(function)["return"]
    found: R = msgspec.msgpack.decode(reply.value, type=expected, dec_hook=_decode)
    return found


def _answered(order: bytes, bounds: Bounds) -> _Reply:
    """From a process that waited; one that has died while waiting is replaced.

    SIGKILL comes from outside, such as from a kernel that is short of memory: that is no fault of
    what is read, unless it happens twice.
    """
    for last in (False, True):
        reader = _taken()
        try:
            reply = reader.ask(order, bounds)
        except OSError:
            reader.close()
            close()  # the others that waited may have died as well: now a fresh one is asked
            continue
        _put_back(reader)
        if reply.exceeded != "SIGKILL" or last:
            return reply
    raise PlatformFault("the process that reads strangers' files cannot be kept alive")


def _refusal(kind: str, en: str, zh: str, detail: str) -> LudusError:
    module, _, name = kind.partition(":")
    if module == "ludus" or module.startswith("ludus."):
        with contextlib.suppress(ImportError, AttributeError, TypeError):
            found = getattr(importlib.import_module(module), name)
            if issubclass(found, LudusError):
                error: LudusError = found(en, zh, detail)
                return error
    return LudusError(en, zh, detail)


def _stopped(why: str, bounds: Bounds) -> Exceeded:
    memory = bounds.memory >> 20
    match why:
        case "cpu" | "wall":
            seconds = bounds.cpu if why == "cpu" else bounds.wall
            en, zh = f"it takes more than {seconds:g} s", f"用时超过 {seconds:g} 秒"
        case "memory":
            en, zh = f"it takes more than {memory} MB of memory", f"所需内存超过 {memory} MB"
        case "depth":
            en, zh = "it is too deeply nested", "嵌套过深"
        case "odd":
            en, zh = "no program could make sense of it", "无法解析"
        case _:
            en, zh = f"the reading process ended with {why}", f"读取进程因 {why} 终止"
    return Exceeded(f"it cannot be read here: {en}", f"无法在此读取：{zh}")


def _encode(value: Any) -> Any:
    from ludus.bots.languages.language import Language

    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Language):
        return value.name
    raise NotImplementedError(f"{type(value).__name__} cannot travel")


def _decode(kind: type, value: Any) -> Any:
    from ludus.bots.languages import BY_NAME
    from ludus.bots.languages.language import Language

    if kind is Path:
        return Path(value)
    if kind is Language:
        return BY_NAME[value]
    raise NotImplementedError(f"{kind.__name__} cannot travel")


# The processes that wait for calls


@dataclass
class _Reader:
    """A process that forks for each call, seen from outside."""

    line: socket.socket
    process: subprocess.Popen[bytes]

    def ask(self, order: bytes, bounds: Bounds) -> _Reply:
        """Its reply; OSError if it is dead or keeps us waiting."""
        self.line.settimeout(bounds.wall + 30)  # it stops the call itself, and well before
        self.line.sendall(LENGTH.pack(len(order)))
        self.line.sendall(order)
        return msgspec.msgpack.decode(_received(self.line), type=_Reply)

    def close(self) -> None:
        self.line.close()
        self.process.kill()
        self.process.wait()


_lock = threading.Lock()
_idle: list[_Reader] = []


def _taken() -> _Reader:
    with _lock:
        if _idle:
            return _idle.pop()
    return _started()


def _put_back(reader: _Reader) -> None:
    with _lock:
        if len(_idle) < KEPT:
            _idle.append(reader)
            return
    reader.close()


@atexit.register
def close() -> None:
    """End the processes that wait; the next call starts one again."""
    with _lock:
        readers = list(_idle)
        _idle.clear()
    for reader in readers:
        reader.close()


def _started() -> _Reader:
    ours, theirs = socket.socketpair()
    path = os.pathsep.join(filter(None, sys.path))
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", START, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=2,
            pass_fds=(theirs.fileno(),),
            env={**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"},
            process_group=0,
        )
    except OSError as error:
        ours.close()
        raise PlatformFault(f"no process to read strangers' files: {error}") from error
    finally:
        theirs.close()
    return _Reader(ours, process)


def _received(line: socket.socket) -> bytearray:
    """A message with its length before it; OSError if the line ends within it."""
    (length,) = LENGTH.unpack(_exactly(line, LENGTH.size))
    if length > MOST_REPLY:
        raise OSError(errno.EMSGSIZE, "too long a message")
    return _exactly(line, length)


def _exactly(line: socket.socket, size: int) -> bytearray:
    data = bytearray(size)
    view, done = memoryview(data), 0
    while done < size:
        count = line.recv_into(view[done:], min(CHUNK, size - done))
        if not count:
            raise OSError(errno.EPIPE, "the line ended")
        done += count
    return data


# In the process that waits


def main() -> None:
    """Answer calls until the line is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    line = socket.socket(fileno=int(sys.argv[1]))
    with contextlib.suppress(OSError):
        while True:
            reply = msgspec.msgpack.encode(_forked(line, bytes(_received(line))))
            line.sendall(LENGTH.pack(len(reply)) + reply)


def _forked(line: socket.socket, order: bytes) -> _Reply:
    """Let a child carry out the order, and watch over it."""
    target, bounds, _ = msgspec.msgpack.decode(order, type=tuple[str, Bounds, msgspec.Raw])
    function = _function(target)  # imported here, once for all calls
    reading, writing = os.pipe2(os.O_CLOEXEC)
    try:
        child = os.fork()
    except OSError as error:
        os.close(reading)
        os.close(writing)
        return _Reply(system=(error.errno or errno.EAGAIN, error.strerror or ""))
    if not child:
        line.close()
        os.close(reading)
        _carry_out(function, order, bounds, writing)
    os.close(writing)
    try:
        said, late = _heard(reading, line, time.monotonic() + bounds.wall)
    finally:
        os.close(reading)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if late:
        return _Reply(exceeded="wall")
    with contextlib.suppress(msgspec.MsgspecError):
        reply = msgspec.msgpack.decode(said, type=_Reply)
        _import_ahead(reply.imported)
        reply.imported = []
        return reply
    return _Reply(exceeded=_how(status))


def _import_ahead(names: list[str]) -> None:
    """Load rules of games and the like once instead of in every call; only what is Ludus."""
    for name in names[:100]:
        if name.startswith("ludus."):
            with contextlib.suppress(Exception):
                importlib.import_module(name)


def _heard(reading: int, line: socket.socket, until: float) -> tuple[bytes, bool]:
    """What the child says until it closes its end, and whether it was too late.

    When the caller is gone (killed, perhaps), nobody needs the answer: then this process ends.
    """
    poll = select.poll()
    poll.register(reading, select.POLLIN)
    poll.register(line, select.POLLRDHUP)
    said = bytearray()
    while (left := until - time.monotonic()) > 0:
        for fd, _ in poll.poll(left * 1000 + 1):
            if fd != reading:
                raise OSError(errno.EPIPE, "the caller is gone")
            data = os.read(reading, CHUNK)
            said += data
            if not data or len(said) > MOST_REPLY:
                return bytes(said), False
    return b"", True


def _how(status: int) -> str:
    if not os.WIFSIGNALED(status):
        return f"exit code {os.waitstatus_to_exitcode(status)}"
    number = os.WTERMSIG(status)
    return "cpu" if number == signal.SIGXCPU else signal.Signals(number).name


def _function(target: str) -> Callable[..., Any]:
    module, _, name = target.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return found


# In the process of one call


def _carry_out(
    function: Callable[..., Any], order: bytes, bounds: Bounds, writing: int
) -> NoReturn:
    code = 1
    try:
        kernel.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        confine(bounds)
        before = set(sys.modules)
        reply = _replied(function, order)
        reply.imported = [name for name in set(sys.modules) - before if name.startswith("ludus.")]
        said = msgspec.msgpack.encode(reply)
        with open(writing, "wb", closefd=False) as pipe:
            pipe.write(said)
        code = 0
    finally:
        os._exit(code)


def _replied(function: Callable[..., Any], order: bytes) -> _Reply:
    try:
        hints = typing.get_type_hints(function)
        kinds = tuple(kind for name, kind in hints.items() if name != "return")
        wanted = tuple[str, Bounds, tuple[kinds]]  # type: ignore[valid-type]
        _, _, args = msgspec.msgpack.decode(order, type=wanted, dec_hook=_decode)
        value = function(*args)
        return _Reply(value=msgspec.Raw(msgspec.msgpack.encode(value, enc_hook=_encode)))
    except LudusError as error:
        kind = f"{type(error).__module__}:{type(error).__qualname__}"
        return _Reply(refused=(kind, error.text["en"], error.text["zh"], error.detail))
    except OSError as error:
        return _Reply(system=(error.errno or errno.EIO, error.strerror or str(error)))
    except MemoryError:
        return _Reply(exceeded="memory")
    except RecursionError:
        return _Reply(exceeded="depth")
    except Exception as error:
        return _Reply(exceeded="odd", trace="".join(traceback.format_exception(error)))


def confine(bounds: Bounds) -> None:
    """Give up, for good, what reading does not need: memory, time, new files, a core dump."""
    limits = {
        resource.RLIMIT_AS: bounds.memory,
        resource.RLIMIT_CPU: bounds.cpu,
        resource.RLIMIT_FSIZE: bounds.file_size,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 64,
    }
    for which, most in limits.items():
        _, hard = resource.getrlimit(which)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        final = most + 1 if which == resource.RLIMIT_CPU and hard != most else most
        resource.setrlimit(which, (most, final))  # at the hard limit of CPU time it is SIGKILL
