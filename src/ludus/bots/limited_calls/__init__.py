"""Calls a function in a process with resource limits, for everything that reads untrusted files.

Hostile files can make a parser run for ever, fill the memory or crash the interpreter, and no care
in the parsing code can rule that out. So it runs in a process that is killed at its limits, and the
caller gets a LudusError instead of being taken down with it:

    report = limited.call(inspect_folder, folder, "reversi")

Starting an interpreter and importing the game rules takes much longer than most calls. So a process
that has imported everything waits for calls and forks a child for each: a call costs a few
milliseconds, and the limits apply to the child alone. Arguments and results are MessagePack,
decoded by the function's annotations, never pickles: even code that has taken over the child can
only return data of the expected type.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import typing
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import msgspec

from ludus.bots.limited_calls import readers
from ludus.bots.limited_calls.bounds import DEFAULT_BOUNDS, STRICT_BOUNDS, Bounds, confine
from ludus.bots.limited_calls.messages import CallReply, decode, encode
from ludus.errors import LudusError, PlatformFault

log = logging.getLogger(__name__)

P = ParamSpec("P")
R = TypeVar("R")


class BoundsExceeded(LudusError):
    """The call was stopped at a limit, or its process crashed."""

    code = "bounds_exceeded"


def call(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call a module-level function with the default bounds."""
    assert not kwargs, "only positional arguments are supported"
    return call_with_bounds(DEFAULT_BOUNDS, function, *args)


def call_with_bounds(bounds: Bounds, function: Callable[..., R], *args: Any) -> R:
    """Call a module-level function with the given bounds.

    Raises the LudusError or OSError that the function raises, ``BoundsExceeded`` when it was
    stopped or crashed, and PlatformFault when no process could be started.
    """
    target = f"{function.__module__}:{function.__qualname__}"
    order = msgspec.msgpack.encode([target, bounds, list(args)], enc_hook=encode)
    reply = _send_call(order, bounds)
    if reply.refused is not None:
        raise _rebuild_error(*reply.refused)
    if reply.system is not None:
        raise OSError(*reply.system)
    if reply.exceeded:
        if reply.trace:
            log.error("%s failed on what it was given to read\n%s", target, reply.trace)
        raise _exceeded_error(reply.exceeded, bounds)
    expected = typing.get_type_hints(function)["return"]
    value: R = msgspec.msgpack.decode(reply.value, type=expected, dec_hook=decode)
    return value


def _send_call(order: bytes, bounds: Bounds) -> CallReply:
    """The reply of a waiting process; one that has died while waiting is replaced.

    SIGKILL comes from outside, for example from a kernel that is short of memory. That says
    nothing about the files, so the call is tried once more.
    """
    for last in (False, True):
        reader = readers.take_process()
        try:
            reply = reader.send_call(order, bounds)
        except OSError:
            reader.close()
            readers.close_idle()  # other idle processes may have died as well: start a new one
            continue
        readers.put_back(reader)
        if reply.exceeded != "SIGKILL" or last:
            return reply
    raise PlatformFault("the process that reads untrusted files died twice")


def _rebuild_error(kind: str, en: str, zh: str, detail: str, code: str) -> LudusError:
    """The error that the function raised, of its own class if that is one of Ludus."""
    module, _, name = kind.partition(":")
    if module == "ludus" or module.startswith("ludus."):
        with contextlib.suppress(ImportError, AttributeError, TypeError):
            found = getattr(importlib.import_module(module), name)
            if issubclass(found, LudusError):
                error: LudusError = found.restore(en, zh, detail, code)
                return error
    return LudusError(en, zh, detail, code=code)


def _exceeded_error(why: str, bounds: Bounds) -> BoundsExceeded:
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
            en, zh = "it cannot be parsed", "无法解析"
        case _:
            en, zh = f"the reading process ended with {why}", f"读取进程因 {why} 终止"
    return BoundsExceeded(f"it cannot be read here: {en}", f"无法在此读取：{zh}")


__all__ = [
    "DEFAULT_BOUNDS",
    "STRICT_BOUNDS",
    "Bounds",
    "BoundsExceeded",
    "call",
    "call_with_bounds",
    "confine",
]
