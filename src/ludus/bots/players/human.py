"""A person on a seat; to the referee a player like any other.

The referee's thread waits in ``turn`` until an answer arrives from elsewhere (a page, a
terminal). After an illegal move the person gets an explanation and is asked again. A person uses no
CPU time: with a clock that measures CPU time they have no time limit, with a wall clock they do.
"""

from __future__ import annotations

import enum
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from ludus.bots.players.base import MoveAnswer, SeatBout, TimeLimit, TimeSpent
from ludus.games.base import ClockView, IllegalMove, Outcome, Position
from ludus.games.host import Ply
from ludus.games.rules_failure import describe_missing_move
from ludus.lang import Text
from ludus.sandbox.bot_fault import BotFault, FaultKind


@dataclass(frozen=True, slots=True)
class MoveQuestion:
    """A person is asked for a move."""

    number: int
    """The number of steps played so far."""
    seat: int
    position: Position
    """Not to be changed."""
    left: tuple[float, ...]
    """Seconds left to each seat."""
    limit: float | None
    """Seconds for this move; None without a limit."""


class BoutAborted(Exception):
    """The bout was aborted before its end."""


class Stopwatch:
    """Measures wall time; can be paused."""

    def __init__(self) -> None:
        self._before = 0.0
        self._since: float | None = time.perf_counter()

    @property
    def seconds(self) -> float:
        running = 0.0 if self._since is None else time.perf_counter() - self._since
        return self._before + running

    def pause(self, on: bool) -> None:
        self._before = self.seconds
        self._since = None if on else time.perf_counter()


class HumanSignal(enum.Enum):
    """Messages to a waiting ``HumanPlayer`` other than a move."""

    WAKE = "wake"
    RESIGN = "resign"
    LEAVE = "leave"
    ABANDON = "abandon"


class HumanPlayer:
    """Asks a person through ``ask``; ``answer`` and the rest are called from other threads."""

    isolation = "human"
    digest = ""

    def __init__(
        self,
        name: str,
        ask: Callable[[MoveQuestion], None],
        explain: Callable[[MoveQuestion, str, Text], None],
    ) -> None:
        """``explain`` is called with an illegal move and the reason."""
        self.name = name
        self._ask, self._explain = ask, explain
        self._inbox: SimpleQueue[str | HumanSignal] = SimpleQueue()
        self._paused = False

    def answer(self, move: str) -> None:
        """Pass on the person's move."""
        self._inbox.put(move)

    def resign(self) -> None:
        """The person gives up the bout."""
        self._inbox.put(HumanSignal.RESIGN)

    def leave(self) -> None:
        """Abort the bout, now or when the person is asked next."""
        self._inbox.put(HumanSignal.LEAVE)

    def abandon(self) -> None:
        """The person has left for good, which loses the bout now or when they are asked next."""
        self._inbox.put(HumanSignal.ABANDON)

    def pause(self, on: bool) -> None:
        """Stop the person's clock, or let it run again."""
        self._paused = on
        self._inbox.put(HumanSignal.WAKE)

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        self._seat = bout.seat
        self._game = bout.game
        self._position = bout.game.start(bout.options, bout.seed)
        self._steps = 0
        while not self._inbox.empty():
            self._inbox.get()
        return TimeSpent(0.0, 0.0)

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        for ply in plies:
            self._position.play(ply)
        self._steps += len(plies)
        if not (self._game.turn_source or self._position.legal(self._seat)):
            raise describe_missing_move(self._game.name, self._seat, self._steps)
        seconds = limit.seconds if limit.measure == "wall" else None
        question = MoveQuestion(self._steps, self._seat, self._position, clock.left, seconds)
        watch = Stopwatch()
        watch.pause(self._paused)
        self._ask(question)
        while True:
            move = self._wait_for_move(watch, seconds)
            if (why := explain_illegal_move(self._position, self._seat, move)) is None:
                return MoveAnswer(0.0, watch.seconds, move)
            self._explain(question, move, why)

    def _wait_for_move(self, watch: Stopwatch, seconds: float | None) -> str:
        """The next answer; BotFault when time is up or the person resigns."""
        while True:
            left = None
            if seconds is not None and not self._paused:
                left = min(max(0.0, seconds - watch.seconds), threading.TIMEOUT_MAX)
            try:
                message = self._inbox.get(timeout=left)
            except Empty:
                raise self._fault(FaultKind.TIMEOUT, "time ran out", "时间用尽", watch) from None
            if isinstance(message, str):
                return message
            if message is HumanSignal.LEAVE:
                raise BoutAborted
            if message is HumanSignal.RESIGN:
                raise self._fault(FaultKind.RESIGN, "resigned", "认输", watch)
            if message is HumanSignal.ABANDON:
                raise self._fault(FaultKind.RESIGN, "left the bout", "离开了对局", watch)
            watch.pause(self._paused)

    def _fault(self, kind: FaultKind, en: str, zh: str, watch: Stopwatch) -> BotFault:
        return BotFault(kind, en, zh, wall=watch.seconds)

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        """Nothing to do: the page or terminal shows the outcome."""
        return TimeSpent(0.0, 0.0)

    def output(self) -> dict[str, str]:
        return {"stdout": "", "stderr": ""}

    def close(self) -> None:
        """Nothing to release."""


def explain_illegal_move(position: Position, seat: int, move: str) -> Text | None:
    """Why a move is not legal, or None if it is."""
    if move in position.legal(seat):
        return None
    others = {other: position.legal(other)[0] for other in position.to_move}
    try:
        position.copy().play({**others, seat: move})
    except IllegalMove as error:
        return error.why
    return Text("that is not a legal move", "这不是合法着法")
