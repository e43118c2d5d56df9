"""The referee: the only place where bouts are played, observed and recorded.

A bout is a sequence of steps. A ``TurnSource`` produces them: it decides which player is asked
next, asks, and passes every complete step to the ``BoutReferee``, which plays it on the position,
notifies the observer (a journal, a page, a terminal) and at the end makes the record.

There are two kinds of sources. ``PlayerTurns`` is the usual one: the rules are a ``Position``, so
the seats in ``to_move`` are asked, under a clock. A game whose rules are a program of their own
names another source (``Game.turn_source``): there the program decides which seats it asks, and
when.
"""

from __future__ import annotations

import importlib
import logging
import math
import os
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Protocol

import msgspec
from msgspec import UNSET, UnsetType

import ludus
from ludus.bots.bot_seed import derive_random_seed, identify_key, load_random_key
from ludus.bots.load import host_types
from ludus.bots.players.base import Player, PlayerUsage, SeatBout, TimeSpent
from ludus.games.base import Clock, ClockView, Game, IllegalMove, Outcome, Position
from ludus.games.host import Ply
from ludus.games.rules_failure import (
    check_rules_at,
    describe_missing_move,
    describe_refused_offer,
    describe_wrong_scores,
)
from ludus.lang import tr
from ludus.match import verdict
from ludus.match.clock import SeatClock, round_times
from ludus.match.record import MAX_NAME_CHARS, BoutOrigin, Record, RecordedBot, Times
from ludus.match.verdict import SeatFault
from ludus.sandbox.bot_fault import BotFault, FaultKind

log = logging.getLogger(__name__)


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
    opening: int = 0
    """How many of the first moves are an opening, which no bot chose."""
    began: str = ""
    """Local date and time with UTC offset."""


class MovesPlayed(msgspec.Struct, tag="moved"):
    """One step: the moves of all seats that had to move."""

    moves: dict[int, str]
    spent: dict[int, TimeSpent]


class BoutEnded(msgspec.Struct, tag="ended"):
    """A bout is over."""

    record: Record


NO_TIME = TimeSpent(0.0, 0.0)
"""What moves cost that no bot chose."""

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
    opening: Sequence[str] = (),
    position: Position | None = None,
    random_seeds: Sequence[str] | None = None,
    origin: BoutOrigin | None = None,
) -> Record:
    """Play one bout and return its record.

    ``players`` sit on the seats in order. ``time0`` is where each seat's clock starts, if not at 0.
    ``opening`` are the first moves, as in a record: nobody is asked for them or charged for them,
    and the players receive them as moves that have been played. They must be legal and must not
    end the bout (``ludus.games.openings`` chooses such ones).
    ``position`` is for callers that look at the position while it changes; it must be equal to
    ``game.start(options, seed)``. ``random_seeds`` seed each seat's random numbers; by default they
    are derived from this user's key; ``origin`` says from what they were derived, for the record.
    """
    if random_seeds is None:
        random_seeds = derive_random_seeds(seed, len(players))
        origin = BoutOrigin(list(range(len(players))), identify_key(load_random_key()))
    bout = BoutReferee(
        game,
        options,
        seed,
        players,
        clock or game.clock,
        watch=watch,
        opening=opening,
        position=position,
        random_seeds=random_seeds,
        origin=origin,
    )
    make_source = load_turn_source(game) if game.turn_source else PlayerTurns
    return bout.play(make_source(bout, time0))


def derive_random_seeds(seed: int, seats: int) -> list[str]:
    """The random seeds of players who sit on the seats in their own order."""
    key = load_random_key()
    return [derive_random_seed(key, seed, seat, seat) for seat in range(seats)]


class TurnSource(Protocol):
    """Where the steps of one bout come from: who is asked next, and what was answered.

    It is made for one ``BoutReferee``, runs once, and uses these methods of it: ``play_step`` for
    every complete step, ``add_fault`` when a seat fails. It does not watch, record or judge.
    """

    time0: Sequence[float]
    """Where each seat's clock starts, in seconds."""
    engine_suffix: str
    """Added to the ``engine`` of the record: what decided the bout besides this program."""

    def run(self) -> None:
        """Ask the players until the position has an outcome or a seat is at fault."""

    def end(self, outcome: Outcome) -> None:
        """Send the players the outcome."""

    def time_used(self) -> list[list[float]]:
        """CPU and wall seconds of each seat in the whole bout."""


MakeTurnSource = Callable[["BoutReferee", Sequence[float] | None], TurnSource]
"""Called with the bout and ``time0`` as given to ``play``."""


def load_turn_source(game: Game) -> MakeTurnSource:
    """Import the source that a game names in ``turn_source``."""
    module, _, name = game.turn_source.partition(":")
    source: MakeTurnSource = getattr(importlib.import_module(module), name)
    return source


class BoutReferee:
    """One bout under way: its position, its steps and its faults so far."""

    def __init__(
        self,
        game: Game,
        options: Any,
        seed: int,
        players: Sequence[Player],
        clock: Clock,
        *,
        watch: BoutObserver | None,
        opening: Sequence[str],
        position: Position | None,
        random_seeds: Sequence[str],
        origin: BoutOrigin | None = None,
    ) -> None:
        if len(players) != len(game.seats):
            raise ValueError(f"{game.name} has {len(game.seats)} seats, got {len(players)} players")
        self.game, self.options, self.seed = game, options, seed
        self.players, self.clock, self.watch = players, clock, watch
        self.random_seeds, self.opening, self.origin = random_seeds, opening, origin
        self.position = position if position is not None else game.start(options, seed)
        self.plies: list[Ply] = []
        self.moves: list[str] = []
        self.spent: list[TimeSpent] = []
        self.faults: list[SeatFault] = []
        self.began = datetime.now().astimezone().isoformat(timespec="seconds")
        self.load = [round(os.getloadavg()[0], 2)]

    def play(self, source: TurnSource) -> Record:
        """Play the bout to its end. The source is not kept: it holds this object."""
        self.begin(source)
        source.run()
        return self.finish(source)

    def begin(self, source: TurnSource) -> None:
        """Announce the bout and play its opening."""
        self._notify(self._make_started_event(source))
        self._play_opening()

    def finish(self, source: TurnSource) -> Record:
        """Tell the players how the bout ended, and make its record."""
        outcome = self._decide_outcome()
        source.end(outcome)
        record = self._make_record(outcome, source)
        self._notify(BoutEnded(record))
        return record

    def _play_opening(self) -> None:
        left = list(self.opening)
        while left:
            seats = self.position.to_move
            if not seats:
                raise ValueError(f"the bout is over before the end of its opening: {left}")
            ply = dict(zip(seats, left, strict=False))
            del left[: len(seats)]
            self.play_step(ply, dict.fromkeys(ply, NO_TIME))

    def play_step(self, ply: dict[int, str], spent: dict[int, TimeSpent]) -> None:
        """Play the moves of all seats that had to move. Raises IllegalMove and changes nothing if
        the position does not allow them."""
        self.position.play(ply)
        self.plies.append(ply)
        for seat, move in ply.items():
            self.moves.append(move)
            self.spent.append(spent[seat])
        if self.watch is not None:
            self.watch(MovesPlayed(ply, spent), self.position)

    def add_fault(self, fault: SeatFault) -> None:
        """Record a fault: the bout ends with this step, and the seat loses."""
        self.faults.append(fault)

    def _decide_outcome(self) -> Outcome:
        if self.faults:
            return verdict.decide_fault_outcome(self.faults, len(self.players))
        outcome = self.position.outcome
        assert outcome is not None
        self._check_scores(outcome.scores)
        if outcome.reason not in self.game.reasons:
            log.warning(
                tr(
                    "%s: a bout ended for the reason %r, for which Game.reasons has no sentence",
                    "%s：对局结束的原因 %r 在 Game.reasons 中没有对应的句子",
                ),
                self.game.name,
                outcome.reason,
            )
        return outcome

    def _check_scores(self, scores: Sequence[float]) -> None:
        """Raise RulesFailure unless the rules gave each seat a score."""
        seats = len(self.players)
        if (
            not isinstance(scores, (tuple, list))
            or len(scores) != seats
            or not all(isinstance(each, (int, float)) and math.isfinite(each) for each in scores)
        ):
            raise describe_wrong_scores(self.game.name, scores, seats, len(self.plies))

    def _notify(self, event: BoutEvent) -> None:
        if self.watch is not None:
            self.watch(event, self.position)

    def _make_started_event(self, source: TurnSource) -> BoutStarted:
        return BoutStarted(
            game=self.game.name,
            version=self.game.version,
            options=self.options.as_json(),
            seed=self.seed,
            bots=self._recorded_bots(),
            clock=self.clock,
            time0=list(source.time0),
            opening=len(self.opening),
            began=self.began,
        )

    def _recorded_bots(self) -> list[RecordedBot]:
        return [RecordedBot(_fit_record_name(p.name), p.digest, p.isolation) for p in self.players]

    def _make_record(self, outcome: Outcome, source: TurnSource) -> Record:
        return Record(
            game=self.game.name,
            version=self.game.version,
            options=self.options.as_json(),
            seed=self.seed,
            bots=self._recorded_bots(),
            clock=self.clock,
            time0=list(source.time0),
            engine=f"ludus {ludus.__version__}{source.engine_suffix}",
            moves=self.moves,
            opening=len(self.opening) or UNSET,
            scores=list(outcome.scores),
            reason=outcome.reason,
            detail=dict(outcome.detail),
            faults=self.faults,
            digest=self.position.digest(),
            times=self._make_times(source),
        ).with_checksum()

    def _make_times(self, source: TurnSource) -> Times:
        start: list[TimeSpent | None] | None = getattr(source, "start_times", None)
        before = [each or NO_TIME for each in start or [None] * len(self.players)]
        seats = [seat for ply in self.plies for seat in ply]
        return Times(
            began=self.began,
            cpu=round_times(seats, [t.cpu for t in self.spent], [t.cpu for t in before]),
            wall=round_times(seats, [t.wall for t in self.spent], [t.wall for t in before]),
            used=source.time_used(),
            load=[*self.load, round(os.getloadavg()[0], 2)],
            usage=self._collect_usage(),
            start=UNSET if start is None else [_in_milliseconds(each) for each in start],
            origin=self.origin or UNSET,
        )

    def _collect_usage(self) -> list[PlayerUsage | None] | UnsetType:
        usage = [getattr(player, "usage", None) for player in self.players]
        return usage if any(each is not None for each in usage) else UNSET


def _in_milliseconds(spent: TimeSpent | None) -> list[int] | None:
    return None if spent is None else [round(spent.cpu * 1000), round(spent.wall * 1000)]


def _fit_record_name(name: str) -> str:
    """A bot's name without control characters and no longer than records accept."""
    return verdict.escape_control_characters(name).replace("\n", "\\n")[:MAX_NAME_CHARS]


class PlayerTurns:
    """The usual source: asks every seat in ``position.to_move`` and charges its clock."""

    engine_suffix = ""

    def __init__(self, bout: BoutReferee, time0: Sequence[float] | None) -> None:
        self.bout, self.players = bout, bout.players
        self.time0: Sequence[float] = time0 or [0.0] * len(bout.players)
        self.clocks = [SeatClock(bout.clock, t) for t in self.time0]
        self.shown_clocks = [0.0] * len(bout.players)
        self.plies = bout.plies
        self.seen_plies = [0] * len(bout.players)
        """How many plies each player has received."""
        self.start_times: list[TimeSpent | None] = [None] * len(bout.players)
        """What each seat's start took; None: it failed."""

    def run(self) -> None:
        self.start_players()
        position, faults = self.bout.position, self.bout.faults
        while not faults and (seats := position.to_move):
            self.ask(seats)

    def start_players(self) -> None:
        bout = self.bout
        for seat, player in enumerate(self.players):
            clock, own = self.clocks[seat], bout.random_seeds[seat]
            limit, left = clock.limit(), clock.left
            seat_bout = SeatBout(bout.game, bout.options, bout.seed, seat, bout.clock, left, own)
            try:
                spent = player.start(seat_bout, limit)
            except BotFault as fault:
                self._add_fault(seat, fault)
                continue
            if self._charge(seat, spent, limit.seconds):
                self.start_times[seat] = spent

    def ask(self, seats: tuple[int, ...]) -> None:
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
        if self.bout.faults:
            return
        try:
            self.bout.play_step(ply, spent)
        except IllegalMove as error:
            kinds = host_types(self.bout.game)
            self.bout.add_fault(verdict.from_illegal(error, self._list_refused(error), kinds))

    def _list_refused(self, error: IllegalMove) -> list[str]:
        """The legal moves of a seat whose move was refused. Raises RulesFailure if that move is one
        of them, or if there are none: then the rules are wrong, not the bot."""
        name, position, step = self.bout.game.name, self.bout.position, len(self.plies)
        legal = position.legal(error.seat)
        if error.move in legal:
            raise describe_refused_offer(name, error)
        if not legal and error.seat in position.to_move:
            raise describe_missing_move(name, error.seat, step)
        return legal

    def _charge(self, seat: int, spent: TimeSpent, seconds: float) -> bool:
        """Charge a seat; False if it is out of time, which is then its fault."""
        in_time = self.clocks[seat].charge(spent, seconds)
        if not in_time:
            clock = self.bout.clock
            fault = verdict.from_clock(seat, spent, seconds, clock)
            self.bout.add_fault(verdict.add_limits(fault, clock))
        return in_time

    def _add_fault(self, seat: int, fault: BotFault) -> None:
        if fault.kind is FaultKind.CRASH:
            check_rules_at(self.bout.game, self.bout.position, len(self.plies))
        self.clocks[seat].charge(TimeSpent(fault.cpu, fault.wall), 0.0)
        described = verdict.from_fault(seat, fault)
        self.bout.add_fault(verdict.add_limits(described, self.bout.clock))

    def end(self, outcome: Outcome) -> None:
        """Send the players the outcome; one at fault is closed and restarted for its next bout."""
        at_fault = {fault.seat for fault in self.bout.faults}
        for seat, player in enumerate(self.players):
            if seat in at_fault:
                player.close()
                continue
            limit = self.clocks[seat].limit()
            spent = player.end(self.plies[self.seen_plies[seat] :], outcome, limit)
            self.clocks[seat].charge(spent, limit.seconds)  # only counted: the outcome is decided

    def time_used(self) -> list[list[float]]:
        return [[round(clock.cpu, 6), round(clock.wall, 6)] for clock in self.clocks]
