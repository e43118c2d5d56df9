"""The turns of one seat in a recorded bout, as its bot saw them then.

A bot knows what it was told: its seat and options, the moves since its last turn, the clocks. All
of it follows from a record, so a bot can be asked the same questions again, in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass

from ludus.bots.players.base import TimeLimit, TimeSpent
from ludus.errors import LudusError
from ludus.games.base import ClockView, Position
from ludus.games.host import Ply
from ludus.match.clock import SeatClock
from ludus.match.record import Record, load_game
from ludus.match.replay import replay_steps
from ludus.sandbox.bot_fault import FaultKind


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """One question to a bot, and what was played then."""

    step: int
    """The step that is decided, from 1; the position is the one after ``step - 1`` steps."""
    plies: list[Ply]
    """The steps since the bot's last turn."""
    clock: ClockView
    """As the bot saw it: 0 for a rival that was not asked yet."""
    clocks: tuple[float, ...]
    """The seconds left on each clock."""
    limit: TimeLimit
    played: str | None
    """The move of the record; None if the bout ended with this question, by a fault."""
    spent: TimeSpent | None
    """What the move cost; None where ``played`` is."""


@dataclass(frozen=True, slots=True)
class RecordedTurns:
    """All questions to one seat in a bout."""

    record: Record
    seat: int
    budget: float
    """Seconds on its clock when the bot was started."""
    start_limit: TimeLimit
    turns: list[RecordedTurn]
    plies_after: list[Ply]
    """The steps after its last turn, with which it was told the outcome."""
    end_limit: TimeLimit

    @property
    def is_clock_exact(self) -> bool:
        """Whether the clocks are those that the bot saw; older records do not say what its start
        cost, so it is estimated."""
        return bool(self.record.times.start)

    def find_turn(self, step: int) -> RecordedTurn | None:
        """The question that decided a step; None if the seat was not asked there."""
        return next((turn for turn in self.turns if turn.step == step), None)


def list_recorded_turns(record: Record, seat: int) -> RecordedTurns:
    """The questions to a seat in a record. LudusError for a game whose turns a program decides."""
    game, _ = load_game(record)
    if game.turn_source:
        raise LudusError(
            f"the bots of {game.name} are asked by a program of its own, not by Ludus, so they"
            " cannot be asked again",
            f"{game.name} 由自己的程序向 AI 提问，而不是由 Ludus 提问，因此无法再次询问",
        )
    return _TurnReader(record, seat).read()


class _TurnReader:
    """Walks through a record as the referee walked through the bout (``referee.PlayerTurns``)."""

    def __init__(self, record: Record, seat: int) -> None:
        self.record, self.seat = record, seat
        self.clocks = [SeatClock(record.clock, time0) for time0 in record.time0]
        self.shown = [0.0] * len(self.clocks)
        self.new_plies: list[Ply] = []
        self.turns: list[RecordedTurn] = []
        self.step = 0
        self.moves_read = 0

    def read(self) -> RecordedTurns:
        start_limit, budget = self.clocks[self.seat].limit(), self.clocks[self.seat].left
        self._charge_starts()
        seats: tuple[int, ...] = ()
        for ply, position in replay_steps(self.record):
            if ply:
                self._read_step(ply)
            seats = position.to_move
        if self.record.faults and not has_failed_to_start(self.record):
            self.step += 1
            for seat in seats:
                self._ask(seat, None, None)
        end_limit = self.clocks[self.seat].limit()
        return RecordedTurns(
            self.record, self.seat, budget, start_limit, self.turns, self.new_plies, end_limit
        )

    def _charge_starts(self) -> None:
        for clock, spent in zip(self.clocks, list_start_times(self.record), strict=True):
            clock.charge(spent, 0.0)

    def _read_step(self, ply: Ply) -> None:
        self.step += 1
        asked = self.moves_read >= self.record.opening_moves
        times = self.record.times
        for seat, move in ply.items():
            number = self.moves_read
            spent = TimeSpent(times.cpu[number] / 1000, times.wall[number] / 1000)
            if asked:
                self._ask(seat, move, spent)
                self.clocks[seat].charge(spent, 0.0)
            self.moves_read += 1
        self.new_plies.append(ply)

    def _ask(self, seat: int, played: str | None, spent: TimeSpent | None) -> None:
        clock = self.clocks[seat]
        self.shown[seat] = clock.left
        if seat != self.seat:
            return
        limit = clock.limit()
        view = ClockView(tuple(self.shown), seat, limit.seconds)
        lefts = tuple(max(0.0, each.left) for each in self.clocks)
        self.turns.append(
            RecordedTurn(self.step, self.new_plies, view, lefts, limit, played, spent)
        )
        self.new_plies = []


def has_failed_to_start(record: Record) -> bool:
    """Whether the bout ended before the first question, because a bot could not be started."""
    if record.times.start:
        return any(spent is None for spent in record.times.start)
    return any(fault.kind is FaultKind.LOAD for fault in record.faults)


def list_start_times(record: Record) -> list[TimeSpent]:
    """What each seat's start cost; estimated for a record that does not say so."""
    times = record.times
    if times.start:
        known = (spent or (0, 0) for spent in times.start)
        return [TimeSpent(cpu / 1000, wall / 1000) for cpu, wall in known]
    totals = [[0.0, 0.0] for _ in record.bots]
    number = 0
    for ply, _ in replay_steps(record):
        for seat in ply:
            totals[seat][0] += times.cpu[number] / 1000
            totals[seat][1] += times.wall[number] / 1000
            number += 1
    return [
        TimeSpent(max(0.0, used[0] - total[0]), max(0.0, used[1] - total[1]))
        for used, total in zip(times.used, totals, strict=True)
    ]


def position_before(record: Record, step: int) -> Position:
    """The position in which a step is decided; LudusError if the record ends before."""
    for number, (_, position) in enumerate(replay_steps(record), 1):
        if number == step:
            return position
    raise LudusError(
        f"the record has {number - 1} steps, so step {step} does not exist",
        f"录像共 {number - 1} 步，没有第 {step} 步",
    )
