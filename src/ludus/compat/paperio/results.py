"""Converts between the original's results, such as ``(0, 1, 1)``, and those of Ludus."""

from __future__ import annotations

import ast
import re
from typing import Any

from ludus.compat.exceptions import rebuild_exception
from ludus.compat.paperio.extent import is_small, summarise_value
from ludus.compat.paperio.pickles import InertObject
from ludus.games.base import Outcome
from ludus.games.paperio.dialect import original_result
from ludus.lang import Text
from ludus.match.verdict import SeatFault
from ludus.sandbox.bot_fault import FaultKind

ERROR, TIMEOUT = -1, -2
_RAISED = re.compile(r"it raised (\w+)(?:: (.*))?", re.DOTALL)
"""How a record describes an exception. A record keeps nothing else of it, so this is part of the
record's format: the sentence in ``bots.players.local`` must not change."""


def result_from_outcome(outcome: Outcome) -> tuple[Any, ...]:
    """The result of a bout that ended by the rules."""
    detail = outcome.detail
    winner, kind = original_result(outcome)
    if outcome.reason in ("face", "area"):
        return winner, kind, (detail["first"], detail["second"])
    if outcome.reason == "band":
        return winner, kind, detail["mover"]
    if outcome.reason == "land":
        return winner, kind, detail["mover"] == winner
    return winner, kind


def result_from_faults(faults: list[SeatFault]) -> tuple[Any, ...]:
    """The result of a bout that ended by a fault."""
    guilty = {fault.seat for fault in faults}
    winner = 1 - faults[0].seat if len(guilty) == 1 else None
    if faults[0].kind is FaultKind.TIMEOUT:
        return winner, TIMEOUT
    return winner, ERROR, exception_from_fault(faults[0])


def faults_from_result(winner: int | None, kind: int, raised: Any) -> list[SeatFault]:
    """The faults behind a result of type -1 or -2."""
    seats = (0, 1) if winner is None else (1 - winner,)
    if kind == TIMEOUT:
        why = Text("it was out of time", "超时")
        return [SeatFault(seat, FaultKind.TIMEOUT, why) for seat in seats]
    said = format_exception(raised)
    why = Text(f"it raised {said}", f"抛出异常 {said}")
    return [SeatFault(seat, FaultKind.CRASH, why) for seat in seats]


def format_exception(raised: Any) -> str:
    """The class and the message of an exception."""
    if isinstance(raised, InertObject):
        name, args = raised.name.name.rpartition(".")[2], raised.args
    elif isinstance(raised, BaseException):
        name, args = type(raised).__name__, raised.args
    else:
        return "an exception"
    message = ""
    if not is_small(args):
        message = summarise_value(args)
    elif len(args) == 1:
        message = repr(args[0]) if name == "KeyError" else str(args[0])
    elif args:
        message = str(args)
    return f"{name}: {message[:500]}" if message else name


def exception_from_fault(fault: SeatFault) -> Exception:
    """An exception that any Python can unpickle, for a fault."""
    parts = _RAISED.fullmatch(fault.why["en"])
    if parts is None:
        return Exception(fault.why["en"])
    name, message = parts[1], parts[2]
    return _rebuild(name, () if message is None else (_parse_argument(name, message),))


def _parse_argument(name: str, message: str) -> Any:
    if name == "KeyError":  # its message is the repr of its argument
        try:
            return ast.literal_eval(message)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            pass
    return message


def _rebuild(name: str, args: tuple[Any, ...]) -> Exception:
    text = f"{name}: {', '.join(map(summarise_value, args))}" if args else name
    return rebuild_exception(name, args, text)


def as_exception(raised: Any) -> Any:
    """A real exception for the inert object from a file."""
    if not isinstance(raised, InertObject):
        return raised
    return _rebuild(raised.name.name.rpartition(".")[2], raised.args)
