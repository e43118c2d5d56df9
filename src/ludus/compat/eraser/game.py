"""The original's ``Game_play``: one game between two modules, each with a class ``Plaser``.

A module runs in this process; a player in a jail may take its place (see ``players``).

The bout is played by the Ludus referee. This module adds what is specific to the original: how
players are created and called, how their time is measured, what is an error, and the replay file.
"""

from __future__ import annotations

import dataclasses
import operator
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from ludus.bots.players.base import MoveAnswer, SeatBout, TimeLimit, TimeSpent
from ludus.bots.players.local import format_bot_traceback
from ludus.compat.eraser import layout
from ludus.compat.eraser.errors import NO_SWAP, NOT_ADJACENT, OUTSIDE, InvalidMove, Timeout
from ludus.compat.jailed_players import (
    MAX_SECONDS,
    JailedPlayer,
    is_timeout,
    parse_value,
    warn_in_process,
)
from ludus.compat.timed_calls import TimedCaller
from ludus.errors import LudusError
from ludus.games.base import Clock, ClockView, Outcome, Position
from ludus.games.eraser import GAME, EraserOptions
from ludus.games.eraser.dialect import BoardArrays, list_operations, parse_swap, swap_text
from ludus.games.eraser.initial_board import Twister, draw_from
from ludus.games.host import Ply
from ludus.match import referee
from ludus.match.record import Record, write_atomically
from ludus.packages import add_command
from ludus.sandbox.bot_fault import BotFault, FaultKind

try:
    import numpy
except ModuleNotFoundError:
    raise LudusError(
        f"the tools of the original Eraser need numpy, as its players do: {add_command('numpy')}",
        f"原版 Eraser 的工具和它的选手一样需要 numpy：{add_command('numpy')}",
    ) from None

MAX_TIME = 60.0
UNLIMITED_CLOCK = Clock(budget=1e9, measure="wall")
"""The referee's clock, without a limit: the game measures the time itself."""
START_TIMEOUT_S = 60.0
"""Seconds for the constructor of a player in a jail; no clock measures it."""
MIN_CALL_WAIT_S = 0.005
"""A call is not abandoned sooner: switching threads may take that long."""


class Game_play:
    """One game. ``player_1`` is side 0, on the left; ``player_2`` is side 1 and moves first."""

    def __init__(self, player_1: Any, player_2: Any) -> None:
        self.modules = (player_1, player_2)
        self.names = (_name_of(player_1), _name_of(player_2))
        for module, name in zip(self.modules, self.names, strict=True):
            if isinstance(module, JailedPlayer):
                continue
            if not hasattr(module, "Plaser"):
                raise LudusError(f"{name} has no class Plaser", f"{name} 中没有 Plaser 类")
            warn_in_process()

    def play(
        self,
        seed: int = 0,
        order: int = 0,
        *,
        max_time: float = MAX_TIME,
        options: EraserOptions | None = None,
    ) -> layout.Summary:
        """Play the game. A seed other than 0 fixes the board and seeds numpy's generator."""
        self.order = order
        self.max_time = max_time
        self.failure: layout.Failure | None = None
        self.times: list[float] = []
        self.sides = [self._side(side, module) for side, module in enumerate(self.modules)]
        for side in self.sides:
            side.make()
        seed = seed or int(numpy.random.randint(1, 2**31))
        self.options = options or EraserOptions()
        self.position = GAME.start(self.options, seed)
        self.start = self.position.copy()
        self.picture = BoardArrays(self.position.board)
        advance_numpy_generator(seed)
        self.record = self._play_bout(seed)
        for module in self.modules:
            if isinstance(module, JailedPlayer):
                module.print_output()
        return layout.summarise(self.replay_data)

    def _side(self, side: int, module: Any) -> EraserSide:
        if isinstance(module, JailedPlayer):
            return JailedSide(self, side, module)
        return EraserSide(self, side, module.Plaser)

    def _play_bout(self, seed: int) -> Record:
        seats = [self.sides[1], self.sides[0]]
        try:
            record = referee.play(
                GAME,
                self.options,
                seed,
                seats,
                UNLIMITED_CLOCK,
                watch=self._watch,
                position=self.position,
            )
        finally:
            for seat in seats:
                seat.close()
        if self.failure is None:
            return record
        fault = msgspec.structs.replace(record.faults[0], trace=self.failure.message)
        faults = [fault, *record.faults[1:]]
        return msgspec.structs.replace(record, faults=faults).with_checksum()

    def _watch(self, event: referee.BoutEvent, position: Position) -> None:
        if isinstance(event, referee.MovesPlayed):
            self.failure = None  # the move was accepted
            mover = self.sides[len(self.times) + 1 & 1]
            self.times.append(mover.used)
            for side in self.sides:
                side.on_move(mover)

    @property
    def replay_data(self) -> layout.ReplayData:
        """The game as the data of a replay file."""
        moves = self.record.moves
        return layout.ReplayData(
            self.start, moves, self.times, self.names, self.order, self.failure
        )

    def save(self, path: str | Path) -> None:
        """Write the replay file that the original's viewer opens."""
        write_atomically(
            Path(path), layout.format_document(self.replay_data).encode(), durable=False
        )

    def log_data(self) -> dict[str, Any]:
        """The short report for a server."""
        return layout.log_data(self.replay_data)


def _name_of(module: Any) -> str:
    return str(getattr(module, "__name__", module))


def advance_numpy_generator(seed: int) -> None:
    """Seed numpy as the original does: bots continue the generator that made the board."""
    source = Twister(seed)
    draw_from(source)
    words, place = source.state()
    numpy.random.set_state(("MT19937", numpy.array(words, dtype=numpy.uint32), place, 0, 0.0))


@dataclass(frozen=True, slots=True)
class EraserCallResult:
    """The result of one call of a player."""

    result: Any
    seconds: float
    trace: str = ""


def call_player(player: Any, *args: Any) -> EraserCallResult:
    try:
        began = time.perf_counter()
        result = player.move(*args)
        return EraserCallResult(result, time.perf_counter() - began)
    except Exception as error:
        return EraserCallResult(None, 0.0, format_bot_traceback(error))


class EraserSide:
    """One player, as the referee sees it."""

    digest = ""
    isolation = "in-process"

    def __init__(self, game: Game_play, side: int, make: Any) -> None:
        self.game = game
        self.side = side
        self.name = game.names[side]
        self._make = make
        self.player: Any = None
        self.used: float = 0
        self.answer: Any = None
        self.load_fault: BotFault | None = None
        self._caller: TimedCaller[EraserCallResult] = TimedCaller()

    def make(self) -> None:
        """Call the constructor, in the original's order and without a limit."""
        try:
            self.player = self._make(self.side == 1)
            self.player.move_history = []
            self.player.used_time = [0, 0]
        except (Exception, SystemExit) as error:
            self.load_fault = self._fault(FaultKind.LOAD, error, begun=False)

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        if self.load_fault is not None:
            raise self.load_fault
        return TimeSpent(0.0, 0.0)

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        done = self._ask(plies)
        if done is None or (not done.trace and self.used + done.seconds >= self.game.max_time):
            raise self._fault(FaultKind.TIMEOUT, _raise_and_catch(Timeout()))
        if done.trace:
            what = done.trace.rstrip("\n").rpartition("\n")[2]
            self.game.failure = layout.Failure(self.side, done.trace, True)
            raise BotFault(
                FaultKind.CRASH, f"it raised {what}", f"抛出异常 {what}", trace=done.trace
            )
        self.used += done.seconds
        self.answer = done.result
        try:
            check_answer(self.answer)
        except InvalidMove as error:
            self._fault(FaultKind.ILLEGAL, error, counted=True)
        except Exception as error:
            raise self._fault(FaultKind.CRASH, error, counted=True) from None
        return MoveAnswer(0.0, done.seconds, swap_text(self.answer))

    def _ask(self, plies: Sequence[Ply]) -> EraserCallResult | None:
        """The player's answer; None if it took too long or ended its thread."""
        position, picture = self.game.position, self.game.picture
        first, second = position.points
        args = (
            picture.make_array(position.board),
            list_operations(position.board),
            [first, second] if self.side == 1 else [second, first],
            position.turn // 2 + 1,
        )
        wait = max(self.game.max_time - self.used, MIN_CALL_WAIT_S)
        return self._caller.call(partial(call_player, self.player, *args), wait)

    def _fault(
        self, kind: FaultKind, error: BaseException, *, begun: bool = True, counted: bool = False
    ) -> BotFault:
        """Record the failure for the replay and return the fault for the referee."""
        trace = format_bot_traceback(error)
        time = self.used if counted else None
        self.game.failure = layout.Failure(self.side, trace, begun, time)
        what = trace.rstrip("\n").rpartition("\n")[2]
        return BotFault(kind, f"it raised {what}", f"抛出异常 {what}", trace=trace)

    def on_move(self, mover: EraserSide) -> None:
        """Append a move to both players' lists, even if a player has changed its own."""
        number = 0 if mover is self else 1
        try:
            self.player.move_history.append(mover.answer)
            self.player.used_time[number] = mover.used
        except Exception:  # it broke its own lists, which concerns no one else
            self.player.move_history, self.player.used_time = [], [0, 0]

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        """Nothing to do: the original does not notify its players of the end."""
        return TimeSpent(0.0, 0.0)

    def output(self) -> dict[str, str]:
        return {"stdout": "", "stderr": ""}

    def close(self) -> None:
        self._caller.close()


class JailedSide(EraserSide):
    """A player in a jail, which keeps its own board and lists."""

    def __init__(self, game: Game_play, side: int, player: JailedPlayer) -> None:
        super().__init__(game, side, None)
        self.jailed = player
        self.digest = player.process.digest
        self.isolation = player.process.isolation

    def make(self) -> None:
        """Nothing to do: it is created when the referee starts it."""

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        bout = dataclasses.replace(bout, budget=min(self.game.max_time, MAX_SECONDS))
        try:
            return self.jailed.start(bout, START_TIMEOUT_S, START_TIMEOUT_S)
        except BotFault as fault:
            trace = self.jailed.format_trace(fault)
            if self.game.failure is None:  # the original reports the side that was created last
                self.game.failure = layout.Failure(self.side, trace, begun=False)
            fault.kind, fault.trace = FaultKind.LOAD, trace
            raise

    def _ask(self, plies: Sequence[Ply]) -> EraserCallResult | None:
        most = self.game.max_time
        first, second = self.game.sides[1], self.game.sides[0]
        left = tuple(min(most - side.used, MAX_SECONDS) for side in (first, second))
        own = max(most - self.used, MIN_CALL_WAIT_S)
        view = ClockView(left, 1 - self.side, min(own, MAX_SECONDS))
        try:
            move, seconds = self.jailed.turn(plies, view, own, most)
        except BotFault as fault:
            return (
                None
                if is_timeout(fault)
                else EraserCallResult(None, 0.0, self.jailed.format_trace(fault))
            )
        swap = re.fullmatch("[0-9]{4}", move)
        return EraserCallResult(parse_swap(move) if swap else parse_value(move[1:]), seconds)

    def on_move(self, mover: EraserSide) -> None:
        """Nothing to do: it receives moves with its next turn."""

    def close(self) -> None:
        """Nothing to do: its process is kept for the next game."""


def _raise_and_catch(error: Exception) -> Exception:
    """An exception with a traceback, as if a player's call had raised it."""
    try:
        raise error
    except Exception as caught:
        return caught


def check_answer(answer: Any) -> None:
    """The original's checks in its order."""
    if len(answer) != 2 or any(len(cell) != 2 for cell in answer):
        raise InvalidMove(NO_SWAP)
    numbers = [_require_integer(number) for cell in answer for number in cell]
    x1, y1, x2, y2 = numbers
    if abs(x1 - x2) + abs(y1 - y2) != 1:
        raise InvalidMove(NOT_ADJACENT)
    if any(number not in range(6) for number in numbers):
        raise InvalidMove(OUTSIDE)


def _require_integer(number: Any) -> int:
    """Convert to an integer; a float, which made the original crash, is refused."""
    try:
        return operator.index(number)
    except TypeError:
        raise InvalidMove(NO_SWAP) from None
