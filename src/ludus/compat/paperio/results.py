"""The original's results, such as ``(0, 1, 1)``, and what Ludus says instead."""

from __future__ import annotations

import ast
import re
from typing import Any

from ludus.compat.exceptions import rebuild_exception
from ludus.compat.paperio.extent import is_small, summarise_value
from ludus.compat.paperio.pickles import InertObject
from ludus.games.base import Outcome
from ludus.games.paperio.dialect import original_result
from ludus.match.verdict import SeatFault
from ludus.sandbox.fault import FaultKind

ERROR, TIMEOUT = -1, -2
_RAISED = re.compile(r"it raised (\w+)(?:: (.*))?", re.DOTALL)
"""How a record tells of an exception. A record keeps nothing else of it, so this is a part of the
record's format: the sentence of ``bots.players.local`` must stay as it is."""


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
        why = {"en": "it was out of time", "zh": "超时"}
        return [SeatFault(seat, FaultKind.TIMEOUT, why) for seat in seats]
    said = format_exception(raised)
    why = {"en": f"it raised {said}", "zh": f"抛出异常 {said}"}
    return [SeatFault(seat, FaultKind.CRASH, why) for seat in seats]


def format_exception(raised: Any) -> str:
    """An exception in words: its class and its message."""
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
    found = _RAISED.fullmatch(fault.why["en"])
    if found is None:
        return Exception(fault.why["en"])
    name, message = found[1], found[2]
    return _rebuilt(name, () if message is None else (_argument(name, message),))


def _argument(name: str, message: str) -> Any:
    if name == "KeyError":  # its message is the repr of its argument
        try:
            return ast.literal_eval(message)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            pass
    return message


def _rebuilt(name: str, args: tuple[Any, ...]) -> Exception:
    text = f"{name}: {', '.join(map(summarise_value, args))}" if args else name
    return rebuild_exception(name, args, text)


def as_exception(raised: Any) -> Any:
    """An exception in place of the stand-in that a file gave."""
    if not isinstance(raised, InertObject):
        return raised
    return _rebuilt(raised.name.name.rpartition(".")[2], raised.args)
