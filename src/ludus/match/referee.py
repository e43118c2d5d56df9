"""The only loop that plays a bout, whoever sits on the seats."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import msgspec

import ludus
from ludus.bots.bot_seed import derive_random_seed, load_random_key
from ludus.bots.players.base import Player, SeatBout, TimeSpent
from ludus.games.base import Clock, ClockView, Game, IllegalMove, Outcome, Position
from ludus.games.host import Ply
from ludus.match import verdict
from ludus.match.clock import SeatClock
from ludus.match.record import MAX_NAME_CHARS, Record, RecordedBot, Times
from ludus.match.verdict import SeatFault
from ludus.sandbox.fault import BotFault


class BoutStarted(msgspec.Struct, tag="started"):
    """A bout begins."""

    game: str
    version: int
    options: dict[str, Any]
    seed: int
    bots: list[RecordedBot]
    clock: Clock
    time0: list[float] = []
    """Where each seat's clock starts; all at 0 if empty."""
    began: str = ""
    """Local date and time with the offset."""


class MovesPlayed(msgspec.Struct, tag="moved"):
    """One step: the moves of all seats that had to move."""

    moves: dict[int, str]
    spent: dict[int, TimeSpent]


class BoutEnded(msgspec.Struct, tag="ended"):
    """A bout is over."""

    record: Record


BoutEvent = BoutStarted | MovesPlayed | BoutEnded
BoutObserver = Callable[[BoutEvent, Position], None]
"""Called with every event and the position after it, which must not be changed."""


def play(
    game: Game,
    options: Any,
    seed: int,
    players: Sequence[Player],
    clock: Clock | None = None,
    *,
    time0: Sequence[float] | None = None,
    watch: BoutObserver | None = None,
    position: Position | None = None,
    random_seeds: Sequence[str] | None = None,
) -> Record:
    """Play one bout and tell everything about it.

    ``players`` sit on the seats in order. ``time0`` moves where each seat's clock starts.
    ``position`` is for callers that look at the position while it changes; it must be the one
    that ``game.start(options, seed)`` gives. ``random_seeds`` is what each seat's random numbers
    begin with; by default this person's key decides.
    """
    random_seeds = random_seeds or derive_random_seeds(seed, len(players))
    more: dict[str, Any] = {
        "time0": time0,
        "watch": watch,
        "position": position,
        "random_seeds": random_seeds,
    }
    if game.table:
        return load_custom_referee(game)(game, options, seed, players, clock, **more)
    return BoutReferee(game, options, seed, players, clock or game.clock, **more).play()


def derive_random_seeds(seed: int, seats: int) -> list[str]:
    """For players that sit on the seats in their order."""
    key = load_random_key()
    return [derive_random_seed(key, seed, seat, seat) for seat in range(seats)]


def load_custom_referee(game: Game) -> Callable[..., Record]:
    """What plays the bouts of a game that has a table of its own."""
    module, _, name = game.table.partition(":")
    found: Callable[..., Record] = getattr(importlib.import_module(module), name)
    return found


class BoutReferee:
    """One bout under way."""

    def __init__(
        self,
        game: Game,
        options: Any,
        seed: int,
        players: Sequence[Player],
        clock: Clock,
        *,
        time0: Sequence[float] | None,
        watch: BoutObserver | None,
        position: Position | None,
        random_seeds: Sequence[str],
    ) -> None:
        if len(players) != len(game.seats):
            raise ValueError(f"{game.name} has {len(game.seats)} seats, got {len(players)} players")
        self.game, self.options, self.seed = game, options, seed
        self.players, self.clock, self.watch = players, clock, watch
        self.random_seeds = random_seeds
        self.time0 = list(time0 or [0.0] * len(players))
        self.clocks = [SeatClock(clock, t) for t in self.time0]
        self.shown_clocks = [0.0] * len(players)
        self.position = position if position is not None else game.start(options, seed)
        self.plies: list[Ply] = []
        self.seen_plies = [0] * len(players)
        self.moves: list[str] = []
        self.spent: list[TimeSpent] = []
        self.faults: list[SeatFault] = []
        self.began = datetime.now().astimezone().isoformat(timespec="seconds")
        self.load = [round(os.getloadavg()[0], 2)]

    def play(self) -> Record:
        self._notify(self._make_started_event())
        for seat in range(len(self.players)):
            self._start_player(seat)
        while not self.faults and (seats := self.position.to_move):
            self._step(seats)
        outcome = self._decide_outcome()
        for seat in range(len(self.players)):
            self._end_player(seat, outcome)
        record = self._make_record(outcome)
        self._notify(BoutEnded(record))
        return record

    def _start_player(self, seat: int) -> None:
        clock = self.clocks[seat]
        own = self.random_seeds[seat]
        bout = SeatBout(self.game, self.options, self.seed, seat, self.clock, clock.left, own)
        limit = clock.limit()
        try:
            self._charge(seat, self.players[seat].start(bout, limit), limit.seconds)
        except BotFault as fault:
            self._add_fault(seat, fault)

    def _step(self, seats: tuple[int, ...]) -> None:
        """Ask every seat that has to move, then play their moves at once."""
        ply: dict[int, str] = {}
        spent: dict[int, TimeSpent] = {}
        for seat in seats:
            clock = self.clocks[seat]
            self.shown_clocks[seat] = clock.left
            limit = clock.limit()
            view = ClockView(tuple(self.shown_clocks), seat, limit.seconds)
            try:
                answer = self.players[seat].turn(self.plies[self.seen_plies[seat] :], view, limit)
            except BotFault as fault:
                self._add_fault(seat, fault)
                continue
            self.seen_plies[seat] = len(self.plies)
            ply[seat] = answer.move
            spent[seat] = answer
            self._charge(seat, answer, limit.seconds)
        if not self.faults:
            self._play_moves(ply, spent)

    def _play_moves(self, ply: dict[int, str], spent: dict[int, TimeSpent]) -> None:
        try:
            self.position.play(ply)
        except IllegalMove as error:
            self.faults.append(verdict.from_illegal(error))
            return
        self.plies.append(ply)
        for seat, move in ply.items():
            self.moves.append(move)
            self.spent.append(spent[seat])
        if self.watch is not None:
            self.watch(MovesPlayed(ply, spent), self.position)

    def _charge(self, seat: int, spent: TimeSpent, seconds: float) -> None:
        if not self.clocks[seat].charge(spent, seconds):
            fault = verdict.from_clock(seat, spent, seconds, self.clock)
            self.faults.append(verdict.add_limits(fault, self.clock))

    def _add_fault(self, seat: int, fault: BotFault) -> None:
        self.clocks[seat].charge(TimeSpent(fault.cpu, fault.wall), 0.0)
        self.faults.append(verdict.add_limits(verdict.from_fault(seat, fault), self.clock))

    def _decide_outcome(self) -> Outcome:
        if self.faults:
            return verdict.decide_fault_outcome(self.faults, len(self.players))
        assert self.position.outcome is not None
        return self.position.outcome

    def _end_player(self, seat: int, outcome: Outcome) -> None:
        """Tell a player the outcome; one at fault starts afresh in its next bout."""
        if any(fault.seat == seat for fault in self.faults):
            self.players[seat].close()
            return
        limit = self.clocks[seat].limit()
        spent = self.players[seat].end(self.plies[self.seen_plies[seat] :], outcome, limit)
        self.clocks[seat].charge(spent, limit.seconds)  # nobody loses by it any more

    def _notify(self, event: BoutEvent) -> None:
        if self.watch is not None:
            self.watch(event, self.position)

    def _make_started_event(self) -> BoutStarted:
        game, bots = self.game, self._recorded_bots()
        options = self.options.as_json()
        clock, time0 = self.clock, self.time0
        return BoutStarted(
            game.name, game.version, options, self.seed, bots, clock, time0, self.began
        )

    def _recorded_bots(self) -> list[RecordedBot]:
        return [RecordedBot(_fit_record_name(p.name), p.digest, p.isolation) for p in self.players]

    def _make_record(self, outcome: Outcome) -> Record:
        return Record(
            game=self.game.name,
            version=self.game.version,
            options=self.options.as_json(),
            seed=self.seed,
            bots=self._recorded_bots(),
            clock=self.clock,
            time0=self.time0,
            engine=f"ludus {ludus.__version__}",
            moves=self.moves,
            scores=list(outcome.scores),
            reason=outcome.reason,
            detail=dict(outcome.detail),
            faults=self.faults,
            digest=self.position.digest(),
            times=self._make_times(),
        ).with_checksum()

    def _make_times(self) -> Times:
        return Times(
            began=self.began,
            cpu=[round(spent.cpu * 1000) for spent in self.spent],
            wall=[round(spent.wall * 1000) for spent in self.spent],
            used=[[round(clock.cpu, 6), round(clock.wall, 6)] for clock in self.clocks],
            load=[*self.load, round(os.getloadavg()[0], 2)],
        )


def _fit_record_name(name: str) -> str:
    """A name as whoever reads a record accepts it."""
    return verdict.escape_control_characters(name).replace("\n", "\\n")[:MAX_NAME_CHARS]
