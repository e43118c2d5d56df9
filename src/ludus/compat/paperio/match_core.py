"""The original's ``match_core``: one bout between two bots in this process.

The bout is played by the Ludus referee. This module adds what is specific to the original: how it
calls bots and measures their time, its module globals that other tools set, and its record.
"""

from __future__ import annotations

import contextlib
import random
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

from ludus.bots.players.base import MoveAnswer, SeatBout, TimeLimit, TimeSpent
from ludus.compat.jailed_players import warn_in_process
from ludus.compat.paperio import results
from ludus.compat.timed_calls import TimedCaller
from ludus.games.base import Clock, ClockView, Outcome
from ludus.games.host import Ply
from ludus.games.paperio import GAME
from ludus.games.paperio.dialect import make_first_stat, to_move_letter
from ludus.games.paperio.frames import OriginalFrames
from ludus.games.paperio.rules import draw
from ludus.match import referee
from ludus.match.record import Record
from ludus.sandbox.bot_fault import BotFault, FaultKind

OVERTIME_FACTOR = 1.1
"""A call is abandoned when the bot has used this many times its time limit."""
UNLIMITED_CLOCK = Clock(budget=1e9, measure="wall")
"""The referee's clock, without a limit: this module measures the time itself."""


def NULL(*args: Any) -> None:
    """Does nothing."""


STORAGE: list[dict[Any, Any]] = [{}, {}]
"""The bots' storages. Tools replace them between series."""
FRAME_FUNC: Callable[[dict[str, Any]], Any] = NULL
"""Called with every public frame before it is stored, for live display."""


class OutOfTime(Exception):
    """Raised by ``timer``."""


def timer(timeleft: float, func: Callable[..., Any], params: Sequence[Any]) -> tuple[Any, float]:
    """Call a bot; returns its return value and the seconds it took.

    Tools may replace it, for instance by one that never raises ``OutOfTime``.
    """
    began = perf_counter()
    answer = func(*params)
    spent = perf_counter() - began
    if spent >= timeleft:
        raise OutOfTime
    return answer, spent


def match(
    players: Sequence[Any],
    names: Sequence[str] = ("plr1", "plr2"),
    k: int = 51,
    h: int = 101,
    max_turn: int = 2000,
    max_time: float = 30,
    plr_overrides: Sequence[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Play one bout; returns the original's record of it."""
    warn_in_process()
    first, second = _starts(k, h, plr_overrides)
    options = GAME.Options.parse(
        {"k": k, "h": h, "turns": max_turn, "first": first, "second": second}
    )
    stage = PaperioBout(players, options, max_time)
    seats = [PaperioSeat(stage, seat, str(name)) for seat, name in enumerate(names)]
    try:
        record = referee.play(
            GAME, options, 0, seats, UNLIMITED_CLOCK, watch=stage.watch, position=stage.position
        )
    finally:
        for seat in seats:
            seat.close()
    result = stage.result(record)
    for seat in seats:
        seat.summarise(result)
    return {
        "players": names,
        "size": (2 * k, h),
        "maxturn": max_turn,
        "maxtime": max_time,
        "result": result,
        "log": stage.log,
    }


def _starts(k: int, h: int, overrides: Sequence[dict[str, Any]] | None) -> Sequence[Any]:
    """The start positions: given by the caller, or drawn from the global generator."""
    if not overrides:
        return draw(random, k, h, "head")
    starts = []
    for given in overrides:
        heading = given.get("init_direction")
        if heading is None:
            heading = random.randrange(4)
        starts.append((given["x"], given["y"], heading, given.get("expand", 1)))
    return starts


class PaperioBout:
    """One bout, as seen by both bots and the record."""

    def __init__(self, players: Sequence[Any], options: Any, max_time: float) -> None:
        self.players = players
        self.position = GAME.start(options, 0)
        self.film = OriginalFrames(self.position.field)
        self.left = [max_time, max_time]
        self.raised: Exception | None = None
        self.failed = False
        self.log: list[dict[str, Any]] = []
        self.stats = [make_first_stat(self.film, seat, (max_time, max_time)) for seat in range(2)]
        self._publish()

    def _publish(self) -> None:
        frame = self.film.public(tuple(self.left))
        FRAME_FUNC(frame)
        self.log.append(frame)

    def watch(self, event: referee.BoutEvent, position: Any) -> None:
        """Add a public frame after each step."""
        if not isinstance(event, referee.MovesPlayed):
            return
        self.film.develop()
        for seat, stat in enumerate(self.stats):
            frame = self.film.private(seat, tuple(self.left))
            stat["log"].append(frame)
            stat["now"] = frame
        self._publish()

    def result(self, record: Record) -> tuple[Any, ...]:
        if not record.faults:
            return results.result_from_outcome(record.outcome)
        winner, kind, *_ = results.result_from_faults(record.faults[:1])
        return (winner, kind) if self.raised is None else (winner, kind, self.raised)


@dataclass(frozen=True, slots=True)
class PaperioCallResult:
    """The result of one call of a bot."""

    answer: Any = None
    seconds: float = 0.0
    error: BaseException | None = None
    trace: str = ""


def _call_guarded(
    timeleft: float, func: Callable[..., Any], params: Sequence[Any]
) -> PaperioCallResult:
    try:
        return PaperioCallResult(*timer(timeleft, func, params))
    except BaseException as error:
        return PaperioCallResult(error=error, trace=traceback.format_exc())


class PaperioSeat:
    """One bot, as the referee sees it."""

    digest = ""
    isolation = "in-process"

    def __init__(self, stage: PaperioBout, seat: int, name: str) -> None:
        self.stage, self.seat, self.name = stage, seat, name
        self._bot = stage.players[seat]
        self._caller: TimedCaller[PaperioCallResult] = TimedCaller()

    @property
    def _params(self) -> tuple[dict[str, Any], dict[Any, Any]]:
        return self.stage.stats[self.seat], STORAGE[self.seat]

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        if "load" in dir(self._bot) and not self.stage.failed:
            return TimeSpent(0.0, self._call(self._bot.load).seconds)
        return TimeSpent(0.0, 0.0)

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        call = self._call(self._bot.play)
        return MoveAnswer(0.0, call.seconds, to_move_letter(call.answer))

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        """Nothing to do: ``summarise`` notifies all bots, also those at fault."""
        return TimeSpent(0.0, 0.0)

    def summarise(self, result: tuple[Any, ...]) -> None:
        if "summary" in dir(self._bot):
            with contextlib.suppress(BaseException):
                self._bot.summary(result[:2], *self._params)

    def output(self) -> dict[str, str]:
        return {"stdout": "", "stderr": ""}

    def close(self) -> None:
        self._caller.close()

    def _call(self, func: Callable[..., Any]) -> PaperioCallResult:
        """Call the bot, charge it and judge it."""
        left = self.stage.left[self.seat]
        patience = max(OVERTIME_FACTOR * left, sys.getswitchinterval()) + 0.05
        call = self._caller.call(partial(_call_guarded, left, func, self._params), patience)
        if call is None or isinstance(call.error, OutOfTime):
            self.stage.failed = True
            raise BotFault(FaultKind.TIMEOUT, "it was out of time", "超时", wall=left)
        if isinstance(call.error, Exception):
            self.stage.failed = True
            self.stage.raised = call.error
            match.DEBUG_TRACEBACK = call.trace  # type: ignore[attr-defined]
            description = results.format_exception(call.error)
            raise BotFault(
                FaultKind.CRASH,
                f"it raised {description}",
                f"抛出异常 {description}",
                trace=call.trace,
            )
        if call.error is not None:
            raise call.error
        self.stage.left[self.seat] = left - call.seconds
        return call
