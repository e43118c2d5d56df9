"""Plays a bot in odd situations and notes what happens: the work behind ``ludus check``."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ludus.bots.players.base import MoveAnswer, Player, SeatBout, TimeLimit, TimeSpent
from ludus.bots.players.create import create_player
from ludus.bots.resolve import BotSource, resolve_bot
from ludus.games.base import Clock, ClockView, Game, Outcome
from ludus.games.host import Ply
from ludus.lang import tr
from ludus.match.record import Record
from ludus.match.referee import play
from ludus.match.verdict import SeatFault
from ludus.sandbox.fault import BotFault, FaultKind

RIVAL_BOT = "random"
SHORT_CLOCK_SHARE = 0.1
"""The short clock, as a share of the game's own."""
MAX_TIMEOUTS = 2
"""After so many bouts lost on time no more are tried: each costs the whole clock."""
QUITTING_TURN = 3
"""The turn in which the quitter leaves."""
CHECK_SEED = 20_48


class ObservedPlayer:
    """A player, with a stopwatch on its loading and an eye on its process."""

    def __init__(self, player: Player, threads: int | None = 1) -> None:
        self.player = player
        self.name, self.digest, self.isolation = player.name, player.digest, player.isolation
        self.loading_s: float | None = None
        """Seconds from nothing to the first bout."""
        self.pid: int | None = None
        """The process that it had in the last bout."""
        self.usual_threads = threads
        """Those of the language itself; None: what there is when the first bout begins."""
        self.threads = 0
        self.children = 0

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        began = time.perf_counter()
        spent = self.player.start(bout, limit)
        if self.loading_s is None:
            self.loading_s = time.perf_counter() - began - spent.wall
        self.pid = getattr(self.player, "pid", None)
        if self.usual_threads is None and self.pid is not None:
            self.usual_threads = count_threads(self.pid)
        return spent

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        return self.player.turn(plies, clock, limit)

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        spent = self.player.end(plies, outcome, limit)
        if self.pid is not None:
            self.threads = max(self.threads, count_threads(self.pid) - (self.usual_threads or 1))
            self.children = max(self.children, len(list_children(self.pid)))
        return spent

    def output(self) -> dict[str, str]:
        return self.player.output()

    def close(self) -> None:
        self.player.close()

    @property
    def is_alive(self) -> bool:
        """Whether the process of the last bout is still there."""
        return self.pid is not None and self.pid == getattr(self.player, "pid", None)


def list_children(parent: int) -> set[int]:
    """The processes that a process has started."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] != "Z":
            found.add(int(path.parent.name))
    return found


def count_threads(pid: int) -> int:
    try:
        return len(os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return 1


class QuittingPlayer:
    """An opponent that plays legal moves and then crashes."""

    name, digest, isolation = "quitter", "", "in-process"

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        self.position = bout.game.start(bout.options, bout.seed)
        self.seat = bout.seat
        self.turns = 0
        return TimeSpent(0.0, 0.0)

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        for ply in plies:
            self.position.play(ply)
        self.turns += 1
        if self.turns == QUITTING_TURN:
            raise BotFault(FaultKind.CRASH, "it was made to crash", "它被安排崩溃")
        return MoveAnswer(0.0, 0.0, self.position.legal(self.seat)[0])

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        """It has left."""
        return TimeSpent(0.0, 0.0)

    def output(self) -> dict[str, str]:
        return {"stdout": "", "stderr": ""}

    def close(self) -> None:
        """It has left."""


@dataclass(frozen=True, slots=True)
class ComplianceBout:
    """One bout that was tried."""

    title: str
    options: Mapping[str, Any]
    seats: tuple[int, ...]
    """Where the bot sat."""
    clock: Clock
    record: Record
    outputs: tuple[dict[str, str], ...]

    @property
    def cpu(self) -> float:
        """Seconds that the bot used, on its slower seat."""
        column = 0 if self.clock.measure == "cpu" else 1
        return max(self.record.times.used[seat][column] for seat in self.seats)

    @property
    def faults(self) -> list[SeatFault]:
        return [fault for fault in self.record.faults if fault.seat in self.seats]


@dataclass(slots=True)
class ComplianceReport:
    """What the trials brought to light."""

    bot: ObservedPlayer
    default_option_bouts: list[ComplianceBout] = field(default_factory=list)
    """Under the usual options, on every seat: these decide whether it is usable."""
    odd_option_bouts: list[ComplianceBout] = field(default_factory=list)
    """Under the game's odd options, on every seat."""
    self_play_bouts: list[ComplianceBout] = field(default_factory=list)
    repeated_bouts: list[ComplianceBout] = field(default_factory=list)
    """The same bout a second time."""
    short_clock_bouts: list[ComplianceBout] = field(default_factory=list)
    quitter_bouts: list[ComplianceBout] = field(default_factory=list)
    """Against the quitter, and the bout after it."""
    process_restarted: bool = False
    """Whether its process was gone after the quitter left."""

    @property
    def all_bouts(self) -> list[ComplianceBout]:
        return [
            *self.default_option_bouts,
            *self.odd_option_bouts,
            *self.self_play_bouts,
            *self.repeated_bouts,
            *self.short_clock_bouts,
            *self.quitter_bouts,
        ]


class ComplianceCheck:
    """Tries one bot."""

    def __init__(self, source: BotSource, game: Game, tell: Callable[[str], None]) -> None:
        self.source, self.game, self.tell = source, game, tell
        self.bot = ObservedPlayer(self._create_player(), 1 if source.path else None)
        self.rival = self._create_rival()
        self.odd_options = [options for options in game.odd if options]

    def _create_player(self) -> Player:
        return create_player(self.source, self.game, isolate=True)

    def _create_rival(self) -> Player:
        house = self.game.bots()
        name = RIVAL_BOT if RIVAL_BOT in house else next(iter(house), None)
        if name is None:
            return self._create_player()
        source = resolve_bot(name, self.game)
        return create_player(source, self.game, isolate=True)

    def run(self) -> ComplianceReport:
        """Play everything; leave no process behind."""
        report = ComplianceReport(self.bot)
        twin = self._create_player()
        try:
            self._play_every_seat(report.default_option_bouts, {})
            if is_hopeless(report.default_option_bouts):
                return report
            for options in self.odd_options:
                if not is_hopeless(report.odd_option_bouts):
                    self._play_every_seat(report.odd_option_bouts, options)
            options = self._pick_short_options(report)
            report.repeated_bouts.append(self._play_against(self.rival, 0, options))
            report.self_play_bouts.append(self._play_against(twin, 0, options, both=True))
            report.short_clock_bouts.append(self._play_short_clock(options))
            report.quitter_bouts.append(self._play_against(QuittingPlayer(), 0, options))
            report.process_restarted = not report.quitter_bouts[0].faults and not self.bot.is_alive
            report.quitter_bouts.append(self._play_against(self.rival, 0, options))
            return report
        finally:
            for player in (self.bot, self.rival, twin):
                player.close()

    def _play_every_seat(self, trials: list[ComplianceBout], options: Mapping[str, Any]) -> None:
        for seat in range(len(self.game.seats)):
            trials.append(self._play_against(self.rival, seat, options))
            if is_hopeless(trials):
                return

    def _pick_short_options(self, report: ComplianceReport) -> Mapping[str, Any]:
        """Odd options for what else is tried: bouts are shorter; if it fails with them, none."""
        options: Mapping[str, Any] = (
            self.odd_options[len(self.odd_options) // 2] if self.odd_options else {}
        )
        tried = [trial for trial in report.odd_option_bouts if trial.options == options]
        return options if tried and not any(trial.faults for trial in tried) else {}

    def _play_short_clock(self, options: Mapping[str, Any]) -> ComplianceBout:
        clock = dataclasses.replace(
            self.game.clock, budget=self.game.clock.budget * SHORT_CLOCK_SHARE
        )
        return self._play_against(self.rival, 0, options, clock=clock)

    def _play_against(
        self,
        rival: Player,
        seat: int,
        options: Mapping[str, Any],
        *,
        both: bool = False,
        clock: Clock | None = None,
    ) -> ComplianceBout:
        seats = len(self.game.seats)
        players: list[Player] = [rival] * seats
        players[seat] = self.bot
        clock = clock or self.game.clock
        title = make_title(self.game, rival.name, seat, options, clock)
        self.tell(title)
        parsed = self.game.Options.parse(options)
        record = play(self.game, parsed, CHECK_SEED, players, clock)
        mine = tuple(range(seats)) if both else (seat,)
        outputs = tuple(players[each].output() for each in mine)
        return ComplianceBout(title, options, mine, clock, record, outputs)


def is_hopeless(trials: Sequence[ComplianceBout]) -> bool:
    """Whether more bouts would teach nothing."""
    kinds = [fault.kind for _, fault in iter_faults(trials)]
    return FaultKind.LOAD in kinds or kinds.count(FaultKind.TIMEOUT) >= MAX_TIMEOUTS


def make_title(game: Game, rival: str, seat: int, options: Mapping[str, Any], clock: Clock) -> str:
    """Which bout it is, in a few words."""
    given = ", ".join(f"{name}={value}" for name, value in options.items())
    name = game.seat_names[seat]
    words = [tr(f"as {name} against {rival}", f"{name}，对 {rival}")]
    if given:
        words.append(given)
    if clock is not game.clock:
        words.append(tr(f"clock {clock.budget:g} s", f"限时 {clock.budget:g} 秒"))
    return ", ".join(words)


def iter_faults(trials: Sequence[ComplianceBout]) -> Iterator[tuple[ComplianceBout, SeatFault]]:
    """Every fault of the bot, with its bout."""
    for trial in trials:
        for fault in trial.faults:
            yield trial, fault
