"""The original's ``Platform``: one bout between two ``Player`` objects in this process.

Either may be replaced by a ``JailedPlayer``, which runs in a jail.

The bout is played by the Ludus referee. This module adds what is specific to the original: how it
calls players and measures their time, its attributes, its log and its record file.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import numbers
import random
import sys
import time
import traceback
from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec

from ludus.bots.players.base import MoveAnswer, SeatBout, TimeLimit, TimeSpent
from ludus.compat.duel2048 import files, layout
from ludus.compat.exceptions import rebuild_exception
from ludus.compat.jailed_players import MAX_SECONDS, JailedPlayer, is_timeout, parse_value
from ludus.compat.timed_calls import TimedCaller, seconds_without_core
from ludus.errors import LudusError
from ludus.games.base import Clock, ClockView, Outcome, Position
from ludus.games.duel2048 import GAME, DuelOptions, constants, dialect
from ludus.games.duel2048.board import Chessboard
from ludus.games.duel2048.rules import CELLS, DIRECTIONS, RANDOM_RANGE, DuelPosition
from ludus.games.host import Ply
from ludus.match import referee
from ludus.match.record import Record
from ludus.sandbox.bot_fault import BotFault, FaultKind

OVERTIME_FACTOR = 1.1
"""A call is abandoned when the player has used this many times its time limit."""
UNLIMITED_CLOCK = Clock(budget=1e9, measure="wall")
"""The referee's clock, without a limit: the platform measures the time itself."""
MIN_BUDGET_S = 0.001
"""The smallest time that a clock shows."""


class Log(list[str]):
    """The log of a bout; with a live queue each entry is shown for a while."""

    def __init__(self, platform: Platform) -> None:
        super().__init__()
        self.platform = platform

    def add(self, entry: str) -> None:
        self.append(entry)
        if self.platform.livequeue is not None:
            self.platform.livequeue.put(self.platform)
            time.sleep(constants.SLEEP)


@dataclasses.dataclass(frozen=True, slots=True)
class PendingDecision:
    """A player's decision before it is applied."""

    first: bool
    round: int
    merging: bool
    value: Any
    """The object that the player returned."""


class Platform:
    """One bout. ``states`` holds, for True (first) and False, the bare player and its account."""

    def __init__(
        self,
        states: dict[bool, dict[str, Any]],
        match: str,
        livequeue: Any,
        toSave: bool,
        MAXTIME: float,
        ROUNDS: int,
    ) -> None:
        ROUNDS = check_rounds(MAXTIME, ROUNDS)
        self.states = states
        self.match = match
        self.livequeue = livequeue
        self.toSave = toSave
        self.maxtime = MAXTIME
        self.rounds = ROUNDS
        self.winner: layout.AffectedPlayer = None
        self.violator: layout.AffectedPlayer = None
        self.timeout: layout.AffectedPlayer = None
        self.error: layout.AffectedPlayer = None
        self.currentRound = 0
        self.change = False
        self.next: tuple[Any, ...] = (None, None)
        array = tuple(random.randrange(RANDOM_RANGE) for _ in range(ROUNDS))
        constants.ARRAY = array  # players read this one when they are created
        self.board = Chessboard(array)
        self.log = Log(self)
        self.name = ""
        self.exception: dict[bool, Exception | None] = {True: None, False: None}
        self._decision: PendingDecision | None = None

    def play(self) -> dict[Any, Any]:
        """Make both players, play the bout, save its record if asked to, and report."""
        self.name = repr(hash(time.perf_counter()))
        self.position = DuelPosition(self.board, self.rounds)
        self.position.on_skip = self._skip
        self._seats = [self._seat(True), self._seat(False)]
        options = DuelOptions(rounds=self.rounds, array=tuple(self.board.array))
        try:
            record = referee.play(
                GAME,
                options,
                0,
                self._seats,
                UNLIMITED_CLOCK,
                watch=self._watch,
                position=self.position,
            )
        finally:
            for seat in self._seats:
                seat.close()
        self._conclude(record)
        for state in self._list_states():
            if isinstance(state["player"], JailedPlayer):
                state["player"].print_output()
        if self.toSave:
            self.save()
        return self._result()

    def _seat(self, first: bool) -> DuelSeat:
        jailed = isinstance(self.states[first]["player"], JailedPlayer)
        return JailedSeat(self, first) if jailed else DuelSeat(self, first)

    def save(self) -> None:
        """Write the record file into the folder of the match."""
        players = [(state["index"][0], state["path"]) for state in self._list_states()]
        facts = layout.BoutEnding(self.timeout, self.violator, self.error, self.winner)
        now = time.strftime(layout.TIME_FORMAT)
        text = layout.format_document(players, now, facts, self.board, self.log)
        files.write(self.match, f"{self.name}.txt", text)

    def _list_states(self) -> list[dict[str, Any]]:
        return [self.states[True], self.states[False]]

    def begin(self) -> None:
        """Both players are created: skip the phases that are impossible on a non-empty board."""
        if not any(seat.failed for seat in self._seats):
            self.position.begin()

    def _skip(self, phase: int) -> None:
        self._show_decision()
        self._seats[phase & 1].on_skipped_phase(phase)

    def _watch(self, event: referee.BoutEvent, position: Position) -> None:
        if watch := getattr(self.livequeue, "watch", None):
            watch(self._with_player_clock(event), position)
        if isinstance(event, referee.MovesPlayed):
            self._show_decision()

    def _with_player_clock(self, event: referee.BoutEvent) -> referee.BoutEvent:
        """The event with the clock that the players know, which the platform keeps itself."""
        if not isinstance(event, referee.BoutStarted):
            return event
        budget = min(max(self.maxtime, MIN_BUDGET_S), UNLIMITED_CLOCK.budget)
        time0 = [float(state["time0"]) for state in self._list_states()]
        clock = Clock(budget=float(budget), measure="wall")
        return msgspec.structs.replace(event, clock=clock, time0=time0)

    def decide(self, first: bool, value: Any) -> None:
        """Keep a player's decision until it is applied; then it is logged and shown."""
        merging = self.position.merging
        self._decision = PendingDecision(first, self.position.round, merging, value)
        if merging:  # the original remembers a direction even if it is a violation
            self.change = False
            self.board.updateDecision(first, (value,))

    def _show_decision(self) -> None:
        decision, self._decision = self._decision, None
        if decision is not None:
            if decision.merging:
                self.change = True
            shown = (decision.value,) if decision.merging else decision.value
            self.board.updateDecision(decision.first, shown)
            self.log.add(layout.board_entry(decision.round, self.board))

    def _conclude(self, record: Record) -> None:
        for name, who in dataclasses.asdict(layout.find_ending(record)).items():
            setattr(self, name, who)
        for entry in layout.format_closing(record, self.position):
            self.log.add(entry)
        if not record.faults:
            self.currentRound = self.rounds
        elif all(seat.loaded for seat in self._seats):
            self.currentRound = self.position.round + 1

    def _result(self) -> dict[Any, Any]:
        report: dict[Any, Any] = {first: self._report(first) for first in (True, False)}
        return report | {"name": self.name, "rounds": self.currentRound}

    def _report(self, first: bool) -> dict[str, Any]:
        state = self.states[first]
        return {
            "index": state["index"],
            "win": self.winner is first,
            "lose": self.winner is not first and self.winner is not None,
            "violate": self.violator is first,
            "timeout": self.timeout in (first, "both"),
            "error": self.error in (first, "both"),
            "time": state["time"] - state["time0"],
            "exception": state["exception"],
        }


def check_rounds(MAXTIME: Any, ROUNDS: Any) -> int:
    """The number of rounds; a LudusError about limits under which no bout can be played."""
    if not isinstance(MAXTIME, numbers.Real) or math.isnan(MAXTIME):
        raise LudusError(
            f"MAXTIME must be a number of seconds, got {MAXTIME!r}",
            f"MAXTIME 应为秒数，得到 {MAXTIME!r}",
        )
    rounds: int = DuelOptions.parse({"rounds": ROUNDS}).rounds
    return rounds


@dataclasses.dataclass(frozen=True, slots=True)
class DuelCallResult:
    """The result of one call of a player."""

    result: Any
    seconds: float
    error: Exception | None = None
    trace: str | None = None


def wrappedFunc(player: Any, name: str, *args: Any, **kwargs: Any) -> DuelCallResult:
    """Call a player's method. The original's name: authors find it in their tracebacks.

    Its seconds are those of the clock, as the original counts them, but for the time in which
    other programs had the core.
    """
    try:
        func = getattr(player, name)
        waited, start = seconds_without_core(), time.perf_counter()
        result = func(*args, **kwargs)
        taken = time.perf_counter() - start
        return DuelCallResult(result, max(0.0, taken - (seconds_without_core() - waited)))
    except Exception as error:
        return DuelCallResult(None, 0.0, error, traceback.format_exc())


class DuelSeat:
    """One side of a platform, as the referee sees it."""

    digest = ""
    isolation = "in-process"

    def __init__(self, platform: Platform, first: bool) -> None:
        self.platform = platform
        self.first = first
        self.state = platform.states[first]
        self.name = str(self.state["path"])
        self.loaded = False
        self._caller: TimedCaller[DuelCallResult] = TimedCaller()

    @property
    def is_out_of_time(self) -> bool:
        return bool(self.state["time"] >= self.platform.maxtime)

    @property
    def failed(self) -> bool:
        return self.is_out_of_time or bool(self.state["error"])

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        call = self._call("__init__", self.first, constants.ARRAY)
        self._check()
        self.loaded = True
        if not self.first:
            self.platform.begin()
        return TimeSpent(0.0, call.seconds)

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        position, board = self.platform.position, self.platform.board
        now, merging = position.round, position.merging
        if not merging:
            self.platform.next = board.getNext(self.first, now)
        call = self._ask(now, "direction" if merging else "position")
        self._check()
        convert = dialect.to_direction_move if merging else dialect.to_cell_move
        move = convert(call.result)
        text = _format_answer(call.result, move, merging)
        self.platform.log.add(layout.format_decision(now, self.first, merging, text))
        self.platform.decide(self.first, call.result)
        return MoveAnswer(0.0, call.seconds, move)

    def on_skipped_phase(self, phase: int) -> None:
        """A phase of this side is skipped: it is asked all the same, and judged later."""
        self._ask(phase >> 2, "_direction" if phase & 2 else "_position")

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        """Nothing to do: the original does not notify its players of the end."""
        return TimeSpent(0.0, 0.0)

    def output(self) -> dict[str, str]:
        return {"stdout": "", "stderr": ""}

    def close(self) -> None:
        self._caller.close()

    def _ask(self, currentRound: int, mode: str) -> DuelCallResult:
        board = self.platform.board
        board.updateTime(self.first, self.platform.maxtime - self.state["time"])
        return self._call("output", currentRound, board.copy(), mode)

    def _call(self, name: str, *args: Any) -> DuelCallResult:
        """Call the player and charge it; nothing is judged yet."""
        most = OVERTIME_FACTOR * self.platform.maxtime
        left = max(most - self.state["time"], sys.getswitchinterval())
        call = self._make_call(name, args, left)
        if call is None:
            self.state["time"] = most
            return DuelCallResult(None, left)
        self.state["time"] += call.seconds
        if call.error is not None:
            self.state["error"] = True
            self.state["exception"] = call.trace
            self.platform.exception[self.first] = call.error
        return call

    def _make_call(self, name: str, args: tuple[Any, ...], left: float) -> DuelCallResult | None:
        """Make one call; None if it took longer than the remaining time or did not return."""
        return self._caller.call(partial(wrappedFunc, self.state["player"], name, *args), left)

    def _check(self) -> None:
        if self.is_out_of_time:
            used = self.state["time"] - self.state["time0"]
            raise BotFault(
                FaultKind.TIMEOUT,
                f"it was out of time after {used:.2f} s",
                f"用时 {used:.2f} 秒，超时",
            )
        if self.state["error"]:
            what = type(self.platform.exception[self.first]).__name__
            trace = self.state["exception"] or ""
            raise BotFault(FaultKind.CRASH, f"it raised {what}", f"抛出异常 {what}", trace=trace)


class JailedSeat(DuelSeat):
    """A side whose player is in a jail. It has a board of its own there, which follows the moves;
    calls for phases that are skipped are made there, when the next moves arrive."""

    def __init__(self, platform: Platform, first: bool) -> None:
        super().__init__(platform, first)
        self.jailed: JailedPlayer = self.state["player"]
        self.digest = self.jailed.process.digest
        self.isolation = self.jailed.process.isolation
        self._bout: SeatBout
        self._plies: Sequence[Ply] = ()

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        budget = self.platform.maxtime - self.state["time"]
        self._bout = dataclasses.replace(bout, budget=max(MIN_BUDGET_S, min(budget, MAX_SECONDS)))
        return super().start(bout, limit)

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        self._plies = plies
        return super().turn(plies, clock, limit)

    def on_skipped_phase(self, phase: int) -> None:
        """Nothing to do: its own board follows the moves."""

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        """The phases that were skipped since its last decision are on its account, too."""
        left = self.platform.maxtime - self.state["time"]
        spent = self.jailed.end(plies, outcome, left)
        self.state["time"] += spent.wall
        return spent

    def _make_call(self, name: str, args: tuple[Any, ...], left: float) -> DuelCallResult | None:
        asleep = OVERTIME_FACTOR * self.platform.maxtime - self.state["time0"]
        try:
            if name == "__init__":
                return DuelCallResult(None, self.jailed.start(self._bout, left, asleep).wall)
            board = self.platform.board
            shown = tuple(min(float(board.getTime(side)), MAX_SECONDS) for side in (True, False))
            view = ClockView(shown, 0 if self.first else 1, min(left, MAX_SECONDS))
            move, seconds = self.jailed.turn(self._plies, view, left, asleep)
            return DuelCallResult(_parse_answer(move), seconds)
        except BotFault as fault:
            if is_timeout(fault):
                return None
            trace = _add_wrapper_frame(self.jailed.format_trace(fault))
            last = trace.rstrip("\n").rpartition("\n")[2]
            kind, _, message = last.partition(": ")
            return DuelCallResult(
                None, 0.0, rebuild_exception(kind, (message,) if message else (), last), trace
            )


def _parse_answer(move: str) -> Any:
    """The decision of a player in a jail as the original's value."""
    if move in CELLS:
        return divmod(CELLS[move], 8)
    return DIRECTIONS.index(move) if move in DIRECTIONS else parse_value(move[1:])


def _add_wrapper_frame(trace: str) -> str:
    """A traceback from a jail with the frame above it, which authors know from the original."""
    head = "Traceback (most recent call last):\n"
    if not trace.startswith(head):
        return trace
    lines, first = inspect.getsourcelines(wrappedFunc)
    place = next(number for number, line in enumerate(lines) if "func(*args" in line)
    frame = f'  File "{__file__}", line {first + place}, in wrappedFunc\n'
    return f"{head}{frame}    {lines[place].strip()}\n{trace.removeprefix(head)}"


def _format_answer(answer: Any, move: str, merging: bool) -> str:
    """An answer as the log shows it: a legal but unusual position keeps its own text."""
    text = layout.move_text(move, merging)
    if merging or text == layout.UNKNOWN:
        return text
    try:
        own = str(answer)
    except Exception:
        return text
    return own if own.isprintable() else text
