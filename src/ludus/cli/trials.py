"""Plays a bot in odd situations and notes what happens: the work behind ``ludus check``."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ludus.bots.players.base import Answer, Bout, Limit, Player, Spent
from ludus.bots.players.create import enter
from ludus.bots.resolve import Source, find
from ludus.games.base import Clock, ClockView, Game, Outcome
from ludus.games.host import Ply
from ludus.lang import tr
from ludus.match.record import Record
from ludus.match.referee import play
from ludus.match.verdict import SeatFault
from ludus.sandbox.fault import Fault, Kind

RIVAL = "random"
SHORT = 0.1
"""The short clock, as a share of the game's own."""
PATIENCE = 2
"""After so many bouts lost on time no more are tried: each costs the whole clock."""
QUITS_AT = 3
"""The turn in which the quitter leaves."""
SEED = 20_48


class Observed:
    """A player, with a stopwatch on its loading and an eye on its process."""

    def __init__(self, player: Player, threads: int | None = 1) -> None:
        self.player = player
        self.name, self.digest, self.isolation = player.name, player.digest, player.isolation
        self.loading: float | None = None
        """Seconds from nothing to the first bout."""
        self.pid: int | None = None
        """The process that it had in the last bout."""
        self.usual_threads = threads
        """Those of the language itself; None: what there is when the first bout begins."""
        self.threads = 0
        self.children = 0

    def start(self, bout: Bout, limit: Limit) -> Spent:
        began = time.perf_counter()
        spent = self.player.start(bout, limit)
        if self.loading is None:
            self.loading = time.perf_counter() - began - spent.wall
        self.pid = getattr(self.player, "pid", None)
        if self.usual_threads is None and self.pid is not None:
            self.usual_threads = threads_of(self.pid)
        return spent

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: Limit) -> Answer:
        return self.player.turn(plies, clock, limit)

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: Limit) -> Spent:
        spent = self.player.end(plies, outcome, limit)
        if self.pid is not None:
            self.threads = max(self.threads, threads_of(self.pid) - (self.usual_threads or 1))
            self.children = max(self.children, len(children_of(self.pid)))
        return spent

    def output(self) -> dict[str, str]:
        return self.player.output()

    def close(self) -> None:
        self.player.close()

    @property
    def alive(self) -> bool:
        """Whether the process of the last bout is still there."""
        return self.pid is not None and self.pid == getattr(self.player, "pid", None)


def children_of(parent: int) -> set[int]:
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


def threads_of(pid: int) -> int:
    try:
        return len(os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return 1


class Quitter:
    """An opponent that plays legal moves and then crashes."""

    name, digest, isolation = "quitter", "", "in-process"

    def start(self, bout: Bout, limit: Limit) -> Spent:
        self.position = bout.game.start(bout.options, bout.seed)
        self.seat = bout.seat
        self.turns = 0
        return Spent(0.0, 0.0)

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: Limit) -> Answer:
        for ply in plies:
            self.position.play(ply)
        self.turns += 1
        if self.turns == QUITS_AT:
            raise Fault(Kind.CRASH, "it was made to crash", "它被安排崩溃")
        return Answer(0.0, 0.0, self.position.legal(self.seat)[0])

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: Limit) -> Spent:
        """It has left."""
        return Spent(0.0, 0.0)

    def output(self) -> dict[str, str]:
        return {"stdout": "", "stderr": ""}

    def close(self) -> None:
        """It has left."""


@dataclass(frozen=True, slots=True)
class Trial:
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
class Report:
    """What the trials brought to light."""

    bot: Observed
    usual: list[Trial] = field(default_factory=list)
    """Under the usual options, on every seat: these decide whether it is usable."""
    odd: list[Trial] = field(default_factory=list)
    """Under the game's odd options, on every seat."""
    itself: list[Trial] = field(default_factory=list)
    again: list[Trial] = field(default_factory=list)
    """The same bout a second time."""
    hurried: list[Trial] = field(default_factory=list)
    deserted: list[Trial] = field(default_factory=list)
    """Against the quitter, and the bout after it."""
    restarted: bool = False
    """Whether its process was gone after the quitter left."""

    @property
    def all(self) -> list[Trial]:
        return [*self.usual, *self.odd, *self.itself, *self.again, *self.hurried, *self.deserted]


class Trials:
    """Tries one bot."""

    def __init__(self, source: Source, game: Game, tell: Callable[[str], None]) -> None:
        self.source, self.game, self.tell = source, game, tell
        self.bot = Observed(self._player(), 1 if source.path else None)
        self.rival = self._rival()
        self.odd = [options for options in game.odd if options]

    def _player(self) -> Player:
        return enter(self.source, self.game, isolate=True)

    def _rival(self) -> Player:
        house = self.game.bots()
        name = RIVAL if RIVAL in house else next(iter(house), None)
        if name is None:
            return self._player()
        source = find(name, self.game)
        return enter(source, self.game, isolate=True)

    def run(self) -> Report:
        """Play everything; leave no process behind."""
        report = Report(self.bot)
        twin = self._player()
        try:
            self._on_every_seat(report.usual, {})
            if hopeless(report.usual):
                return report
            for options in self.odd:
                if not hopeless(report.odd):
                    self._on_every_seat(report.odd, options)
            options = self._brief(report)
            report.again.append(self._against(self.rival, 0, options))
            report.itself.append(self._against(twin, 0, options, both=True))
            report.hurried.append(self._hurry(options))
            report.deserted.append(self._against(Quitter(), 0, options))
            report.restarted = not report.deserted[0].faults and not self.bot.alive
            report.deserted.append(self._against(self.rival, 0, options))
            return report
        finally:
            for player in (self.bot, self.rival, twin):
                player.close()

    def _on_every_seat(self, trials: list[Trial], options: Mapping[str, Any]) -> None:
        for seat in range(len(self.game.seats)):
            trials.append(self._against(self.rival, seat, options))
            if hopeless(trials):
                return

    def _brief(self, report: Report) -> Mapping[str, Any]:
        """Odd options for what else is tried: bouts are shorter; if it fails with them, none."""
        options: Mapping[str, Any] = self.odd[len(self.odd) // 2] if self.odd else {}
        tried = [trial for trial in report.odd if trial.options == options]
        return options if tried and not any(trial.faults for trial in tried) else {}

    def _hurry(self, options: Mapping[str, Any]) -> Trial:
        clock = dataclasses.replace(self.game.clock, budget=self.game.clock.budget * SHORT)
        return self._against(self.rival, 0, options, clock=clock)

    def _against(
        self,
        rival: Player,
        seat: int,
        options: Mapping[str, Any],
        *,
        both: bool = False,
        clock: Clock | None = None,
    ) -> Trial:
        seats = len(self.game.seats)
        players: list[Player] = [rival] * seats
        players[seat] = self.bot
        clock = clock or self.game.clock
        title = title_of(self.game, rival.name, seat, options, clock)
        self.tell(title)
        parsed = self.game.Options.parse(options)
        record = play(self.game, parsed, SEED, players, clock)
        mine = tuple(range(seats)) if both else (seat,)
        outputs = tuple(players[each].output() for each in mine)
        return Trial(title, options, mine, clock, record, outputs)


def hopeless(trials: Sequence[Trial]) -> bool:
    """Whether more bouts would teach nothing."""
    kinds = [fault.kind for _, fault in faulty(trials)]
    return Kind.LOAD in kinds or kinds.count(Kind.TIMEOUT) >= PATIENCE


def title_of(game: Game, rival: str, seat: int, options: Mapping[str, Any], clock: Clock) -> str:
    """Which bout it is, in a few words."""
    given = ", ".join(f"{name}={value}" for name, value in options.items())
    words = [tr(f"as {game.seats[seat]} against {rival}", f"座位 {game.seats[seat]}，对 {rival}")]
    if given:
        words.append(given)
    if clock is not game.clock:
        words.append(tr(f"clock {clock.budget:g} s", f"限时 {clock.budget:g} 秒"))
    return ", ".join(words)


def faulty(trials: Sequence[Trial]) -> Iterator[tuple[Trial, SeatFault]]:
    """Every fault of the bot, with its bout."""
    for trial in trials:
        for fault in trial.faults:
            yield trial, fault
