"""Bots inside the referee's own process: for house bots, tests and training."""

from __future__ import annotations

import logging
import random
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

from ludus.bots.error_hints import find_package_hint
from ludus.bots.notes import NoteBook
from ludus.bots.players.base import MoveAnswer, SeatBout, TimeLimit, TimeSpent
from ludus.bots.wrong_signature import find_wrong_signature
from ludus.errors import LudusError
from ludus.games.base import ClockView, Outcome
from ludus.games.host import Host, Ply
from ludus.games.rules_failure import RulesFailure, find_rules_place
from ludus.lang import Text
from ludus.sandbox.bot_fault import BotFault, FaultCause, FaultKind

log = logging.getLogger(__name__)

KEPT_MESSAGE_CHARS = 1000
KEPT_TRACE_CHARS = 8000
"""Characters kept of an exception's message and of its traceback."""


class LocalPlayer:
    """Runs a trusted bot in this process. Its time is measured, but it cannot be stopped."""

    isolation = "in-process"

    def __init__(self, name: str, load: Callable[[], Host], digest: str = "") -> None:
        self.name = name
        self.digest = digest
        self._load = load
        self._host: Host | None = None
        self.notes = NoteBook()

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        try:
            self._host = self._host or self._load()
        except (Exception, SystemExit) as error:
            raise fault_from_exception(FaultKind.LOAD, error) from error
        seed_generators(bout.random_seed)
        self.notes.begin_bout(bout)
        cpu, wall = time.thread_time(), time.perf_counter()
        try:
            self._host.start(bout.seat, bout.options, bout.seed, bout.budget)
        except (Exception, SystemExit) as error:
            raise fault_from_exception(FaultKind.CRASH, error, cpu, wall, self._host) from error
        return TimeSpent(time.thread_time() - cpu, time.perf_counter() - wall)

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        assert self._host is not None
        cpu, wall = time.thread_time(), time.perf_counter()
        try:
            move = self._host.turn(plies, clock)
        except RulesFailure:  # found by the search of a trusted bot, or by its replica
            raise
        except (Exception, SystemExit) as error:
            raise fault_from_exception(FaultKind.CRASH, error, cpu, wall, self._host) from error
        answer = MoveAnswer(time.thread_time() - cpu, time.perf_counter() - wall, move)
        self.notes.follow(len(plies))
        if (said := self._host.take_note()) is not None:
            self.notes.add(said)
        return answer

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        assert self._host is not None
        cpu, wall = time.thread_time(), time.perf_counter()
        try:
            self._host.end(plies, outcome)
        except (Exception, SystemExit):
            log.warning("%s failed after the end of a bout", self.name, exc_info=True)
        return TimeSpent(time.thread_time() - cpu, time.perf_counter() - wall)

    def output(self) -> dict[str, str]:
        return {"stdout": "", "stderr": ""}

    def close(self) -> None:
        host, self._host = self._host, None
        if host is not None:
            try:
                host.close()
            except (Exception, SystemExit):
                log.warning("%s failed at the end of its match", self.name, exc_info=True)


def seed_generators(random_seed: str) -> None:
    """Seed the global generators, so that a bot plays the same moves when a bout is repeated.

    An empty seed means unpredictable numbers.
    """
    random.seed(random_seed or None)
    if numpy := sys.modules.get("numpy"):
        words = numpy.frombuffer(bytes.fromhex(random_seed), dtype="<u4")
        numpy.random.seed(words if random_seed else None)


def fault_from_exception(
    kind: FaultKind,
    error: BaseException,
    cpu: float = 0.0,
    wall: float = 0.0,
    host: Host | None = None,
) -> BotFault:
    """The fault for an exception in the own code of a bot, which ``host`` runs."""
    spent = (time.thread_time() - cpu, time.perf_counter() - wall) if wall else (0.0, 0.0)
    message = _exception_message(error)
    name = type(error).__name__
    shown = f"{name}: {message}"[:KEPT_MESSAGE_CHARS] if message else name
    if isinstance(error, MemoryError):
        kind = FaultKind.MEMORY
    if isinstance(error, SystemExit):
        shown = f"sys.exit({error.code!r})"
    en, zh = FAULT_SENTENCES[kind]
    hint_en, hint_zh = find_package_hint(error)
    trace = format_bot_traceback(error)
    wrong = find_wrong_signature(error, host) if _find_bot_frame(error) is None else None
    if wrong is not None:
        hint_en, hint_zh = wrong.hint.en, wrong.hint.zh
        trace = f"{wrong.trace}{shown}\n"
    place = describe_rules_place(error, host)
    return BotFault(
        kind,
        f"{en} {shown}{place.en}{hint_en}",
        f"{zh} {shown}{place.zh}{hint_zh}",
        trace=trace,
        cpu=spent[0],
        wall=spent[1],
        cause=FaultCause.EXIT if isinstance(error, SystemExit) else FaultCause.EXCEPTION,
        message=message,
    )


def describe_rules_place(error: BaseException, host: Host | None) -> Text:
    """Says that an exception was raised inside the rules of the game, and in which line; empty if
    it was not. A bot may have called them wrongly, so this need not be their mistake."""
    place = None if isinstance(error, LudusError) else find_rules_place(error)
    house = host.game.house if host else None
    if place is None or (house is not None and Path(place.file).is_relative_to(house)):
        return Text("", "")
    return Text(
        f", in the rules of {place.games} ({place.file}:{place.line}, in {place.function})",
        f"，位于 {place.games} 的规则中（{place.file}:{place.line}，{place.function}）",
    )


def _exception_message(error: BaseException) -> str:
    """The exception's message; its ``__str__`` may be the bot's code and fail."""
    try:
        return str(error)[:KEPT_MESSAGE_CHARS]
    except Exception:
        return "(no message: its __str__ failed)"


FAULT_SENTENCES = {
    FaultKind.LOAD: ("its file raised", "载入时抛出"),
    FaultKind.CRASH: ("it raised", "抛出异常"),
    FaultKind.MEMORY: ("it ran out of memory:", "内存耗尽："),
}


def format_bot_traceback(error: BaseException) -> str:
    """The traceback from the bot's first frame on, without Ludus' own frames."""
    tb = _find_bot_frame(error)
    lines = traceback.format_exception(type(error), error, tb or error.__traceback__)
    return "".join(lines)[-KEPT_TRACE_CHARS:]


def _find_bot_frame(error: BaseException) -> TracebackType | None:
    """The first frame of a traceback that is not Ludus' own."""
    tb = error.__traceback__
    while tb is not None and _is_ludus_frame(tb):
        tb = tb.tb_next
    return tb


def _is_ludus_frame(tb: TracebackType) -> bool:
    name = str(tb.tb_frame.f_globals.get("__name__", ""))
    return name == "ludus" or name.startswith("ludus.")
