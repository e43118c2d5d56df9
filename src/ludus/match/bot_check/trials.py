"""The bouts of a check and their results. The conclusions are drawn in ``findings``."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import functools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ludus.bots.house_titles import house_bot_title
from ludus.bots.players.base import Player
from ludus.bots.players.create import create_player
from ludus.bots.protocol import PROTOCOL_NAME
from ludus.bots.resolve import BotSource, resolve_house_bot
from ludus.games.base import Clock, Game
from ludus.lang import Text
from ludus.match.bot_check.observed_player import ObservedPlayer, QuittingPlayer
from ludus.match.record import Record
from ludus.match.referee import play
from ludus.match.series import pin_to_one_core, play_again_on_platform_fault
from ludus.match.verdict import SeatFault
from ludus.sandbox.bot_fault import FaultKind

USUAL_RIVAL = "random"
"""The opponent in a check, if the game has a house bot of that name."""
SHORT_CLOCK_SHARE = 0.1
"""The short clock, as a share of the game's own."""
CHECK_SEED = 20_48
BUILDING = Text("building the bot", "构建 AI")
"""What a check does before its first bout."""


class Trial(enum.StrEnum):
    """One kind of situation in which a check plays the bot."""

    SEATS = "seats"
    """The default options, on every seat. Always played: these bouts matter most."""
    ODD_OPTIONS = "odd-options"
    """The game's odd options, on every seat."""
    REPEAT = "repeat"
    """A bout that was played before, with the same seed."""
    SELF_PLAY = "self-play"
    """Against itself, in a second process."""
    SHORT_CLOCK = "short-clock"
    """With a tenth of the game's clock."""
    OPPONENT_CRASH = "opponent-crash"
    """Against a player that crashes, and one bout after it."""


TRIAL_NAMES: Mapping[Trial, Text] = {
    Trial.SEATS: Text("every seat", "各座位"),
    Trial.ODD_OPTIONS: Text("odd options", "特殊选项"),
    Trial.REPEAT: Text("the same bout again", "重复同一局"),
    Trial.SELF_PLAY: Text("against itself", "与自己对局"),
    Trial.SHORT_CLOCK: Text("a short clock", "短时限"),
    Trial.OPPONENT_CRASH: Text("an opponent that crashes", "对手崩溃"),
}


@dataclass(frozen=True, slots=True)
class CheckPlan:
    """The trials of a check and its limits. The bouts of ``Trial.SEATS`` are always played; no
    other bout begins once a limit is reached."""

    trials: frozenset[Trial] = frozenset(Trial)
    max_bouts: int | None = None
    max_seconds: float | None = None
    """Seconds of wall time."""


FULL_PLAN = CheckPlan()


@dataclass(frozen=True, slots=True)
class CheckProgress:
    """Where a check is. It is picklable."""

    bout: int
    """The number of the bout under way, from 1."""
    bouts: int
    """How many will be played if the bot makes no mistake."""
    title: Text
    cpu_s: float
    """CPU seconds of the bot in this bout so far."""
    limit_s: float
    """Its clock."""


@dataclass(frozen=True, slots=True)
class TrialBout:
    """One bout of a check."""

    number: int
    """Its number in the check, from 0."""
    trial: Trial
    title: Text
    options: Mapping[str, Any]
    """The options that differ from the defaults."""
    seats: tuple[int, ...]
    """The seats of the bot."""
    clock: Clock
    record: Record
    outputs: tuple[dict[str, str], ...]
    """Its output, for each of its seats."""

    @property
    def seconds_used(self) -> float:
        """Seconds that the bot used, on its slower seat."""
        column = 0 if self.clock.measure == "cpu" else 1
        return max(self.record.times.used[seat][column] for seat in self.seats)

    @property
    def faults(self) -> list[SeatFault]:
        """The bot's own faults, not those of its opponents."""
        return [fault for fault in self.record.faults if fault.seat in self.seats]


@dataclass(slots=True)
class BotCheckReport:
    """The results of a check's bouts. It is picklable."""

    bouts: list[TrialBout] = field(default_factory=list)
    loading_s: float | None = None
    """Seconds until the first bout began; None if that was not measured."""
    leftover_threads: int | None = None
    """Threads that were still running after a bout; None if this was not observed."""
    leftover_processes: int | None = None
    process_restarted: bool = False
    """Whether its process was gone after its opponent had crashed."""
    left_out: list[Trial] = field(default_factory=list)
    """Trials of the plan that its limits did not allow, completely or in part."""

    def bouts_of(self, *trials: Trial) -> list[TrialBout]:
        return [bout for bout in self.bouts if bout.trial in trials]

    @property
    def load_fault(self) -> SeatFault | None:
        """The fault because of which the bot could not be loaded, if any."""
        faults = (fault for _, fault in iter_faults(self.bouts_of(Trial.SEATS)))
        return next((fault for fault in faults if fault.kind is FaultKind.LOAD), None)


def choose_rival(game: Game) -> str | None:
    """The house bot to play against; None if the game has none."""
    house = game.bots()
    return USUAL_RIVAL if USUAL_RIVAL in house else next(iter(house), None)


class BotCheck:
    """Checks one bot. Building it may raise LudusError, for example with a compiler's output."""

    def __init__(
        self,
        source: BotSource,
        game: Game,
        plan: CheckPlan = FULL_PLAN,
        *,
        jail: str | None = None,
        on_bout: Callable[[Text], None] = lambda title: None,
    ) -> None:
        """``jail`` is the level of the bots' jails; ``on_bout`` gets the title of each bout as it
        begins."""
        self.source, self.game, self.plan = source, game, plan
        self.jail, self.on_bout = jail, on_bout
        self.report = BotCheckReport()
        known = source.protocol == PROTOCOL_NAME  # bots of other platforms know their board only
        self.odd_options = [options for options in game.odd if options and known]
        self._players = contextlib.ExitStack()
        """Closes all players in the end."""
        self._title, self._limit_s = BUILDING, game.clock.budget

    def run(self) -> BotCheckReport:
        """Play all trials; no process is left afterwards."""
        self._began = time.monotonic()
        with self._players, pin_to_one_core():
            self.bot = self._create_bot()
            self.rivals = [self._create_rival() for _ in self.game.seats[1:]]
            self._play_on_every_seat(Trial.SEATS, {})
            if not self.game.turn_source and self._is_worth_more():
                self._play_further_trials()
        if isinstance(self.bot, ObservedPlayer):
            self.report.loading_s = self.bot.loading_s
            self.report.leftover_threads = self.bot.leftover_threads
            self.report.leftover_processes = self.bot.leftover_processes
        return self.report

    @property
    def progress(self) -> CheckProgress:
        """Where the check is; may be read from another thread while it runs."""
        bot = getattr(self, "bot", None)
        return CheckProgress(
            bout=len(self.report.bouts) + 1,
            bouts=max(self._count_planned_bouts(), len(self.report.bouts) + 1),
            title=self._title,
            cpu_s=bot.cpu_used() if isinstance(bot, ObservedPlayer) else 0.0,
            limit_s=self._limit_s,
        )

    def _count_planned_bouts(self) -> int:
        """The bouts of the plan, as many as its limit on bouts allows."""
        seats, odd = len(self.game.seats), len(self.odd_options)
        if self.game.turn_source:
            return seats
        sizes = {
            Trial.ODD_OPTIONS: odd * seats,
            Trial.REPEAT: 1,
            Trial.SELF_PLAY: 1,
            Trial.SHORT_CLOCK: 1,
            Trial.OPPONENT_CRASH: 2,
        }
        count = seats + sum(size for trial, size in sizes.items() if trial in self.plan.trials)
        most = self.plan.max_bouts
        return count if most is None else max(seats, min(count, most))

    def _is_worth_more(self) -> bool:
        """Whether a seat was played without a fault; otherwise further trials would fail too."""
        seats = self.report.bouts
        return not is_hopeless(seats) and not all(bout.faults for bout in seats)

    # Who plays

    def _create_bot(self) -> Player:
        """The bot. A game with its own turn source starts the processes itself, so there the bot
        cannot be observed."""
        player = self._enter(self.source, isolate=True)
        if self.game.turn_source:
            return player
        return ObservedPlayer(player, 1 if self.source.path else None)

    def _create_rival(self) -> Player:
        name = choose_rival(self.game)
        return self._enter(resolve_house_bot(name, self.game) if name else self.source)

    def _enter(self, source: BotSource, isolate: bool | None = None) -> Player:
        player = create_player(source, self.game, isolate=isolate, jail=self.jail)
        self._players.callback(player.close)
        return player

    # What is played

    def _play_further_trials(self) -> None:
        self._play_odd_options()
        options = self._pick_short_options()
        if self._may_play(Trial.REPEAT):
            self._play_bout(Trial.REPEAT, 0, options)
        if self._may_play(Trial.SELF_PLAY):
            twins = [self._enter(self.source, isolate=True) for _ in self.game.seats[1:]]
            self._play_bout(Trial.SELF_PLAY, 0, options, twins)
        if self._may_play(Trial.SHORT_CLOCK):
            budget = self.game.clock.budget * SHORT_CLOCK_SHARE
            clock = dataclasses.replace(self.game.clock, budget=budget)
            self._play_bout(Trial.SHORT_CLOCK, 0, options, clock=clock)
        if self._may_play(Trial.OPPONENT_CRASH, bouts=2):
            self._play_crashing_opponent(options)

    def _play_odd_options(self) -> None:
        for options in self.odd_options:
            if is_hopeless(self.report.bouts_of(Trial.ODD_OPTIONS)):
                return
            if not self._may_play(Trial.ODD_OPTIONS, bouts=len(self.game.seats)):
                return
            self._play_on_every_seat(Trial.ODD_OPTIONS, options)

    def _play_on_every_seat(self, trial: Trial, options: Mapping[str, Any]) -> None:
        for seat in range(len(self.game.seats)):
            self._play_bout(trial, seat, options)
            if is_hopeless(self.report.bouts_of(trial)):
                return

    def _play_crashing_opponent(self, options: Mapping[str, Any]) -> None:
        opponents = [QuittingPlayer(), *self.rivals[1:]]
        bout = self._play_bout(Trial.OPPONENT_CRASH, 0, options, opponents)
        gone = isinstance(self.bot, ObservedPlayer) and self.bot.has_gone
        self.report.process_restarted = not bout.faults and gone
        if not self._was_lost_on_time():
            self._play_bout(Trial.OPPONENT_CRASH, 0, options)

    def _may_play(self, trial: Trial, bouts: int = 1) -> bool:
        """Whether a trial is in the plan and within the limits; a trial beyond them is noted in
        the report. None begins once a usual bout was lost on time: each may cost a full clock."""
        if trial not in self.plan.trials or self._was_lost_on_time():
            return False
        plan = self.plan
        enough = plan.max_bouts is not None and len(self.report.bouts) + bouts > plan.max_bouts
        late = plan.max_seconds is not None and time.monotonic() - self._began >= plan.max_seconds
        if enough or late:
            self.report.left_out.append(trial)
        return not enough and not late

    def _was_lost_on_time(self) -> bool:
        """Whether the bot ran out of time in a bout as people play it."""
        odd = self.report.bouts_of(Trial.ODD_OPTIONS, Trial.SHORT_CLOCK)
        usual = [bout for bout in self.report.bouts if bout not in odd]
        return any(fault.kind is FaultKind.TIMEOUT for _, fault in iter_faults(usual))

    def _pick_short_options(self) -> Mapping[str, Any]:
        """The options of all further trials: odd ones, because their bouts are shorter; the
        defaults if the bot has not played a clean bout with those."""
        if not self.odd_options:
            return {}
        options = self.odd_options[len(self.odd_options) // 2]
        tried = [b for b in self.report.bouts_of(Trial.ODD_OPTIONS) if b.options == options]
        return options if tried and not any(bout.faults for bout in tried) else {}

    def _play_bout(
        self,
        trial: Trial,
        seat: int,
        options: Mapping[str, Any],
        opponents: Sequence[Player] | None = None,
        clock: Clock | None = None,
    ) -> TrialBout:
        """One bout, with the bot on the seat and its opponents in order on the others."""
        players = list(self.rivals if opponents is None else opponents)
        rival = players[0].name if players else ""
        players.insert(seat, self.bot)
        clock = clock or self.game.clock
        title = _make_title(self.game, rival, seat, options, clock)
        if isinstance(self.bot, ObservedPlayer):
            self.bot.mark_bout()
        self._title, self._limit_s = title, clock.budget
        self.on_bout(title)
        parsed = self.game.Options.parse(options)
        bout = functools.partial(play, self.game, parsed, CHECK_SEED, players, clock)
        record = play_again_on_platform_fault(bout, players)
        mine = range(len(players)) if trial is Trial.SELF_PLAY else (seat,)
        played = TrialBout(
            number=len(self.report.bouts),
            trial=trial,
            title=title,
            options=options,
            seats=tuple(mine),
            clock=clock,
            record=record,
            outputs=tuple(players[each].output() for each in mine),
        )
        self.report.bouts.append(played)
        return played


def is_hopeless(bouts: Iterable[TrialBout]) -> bool:
    """Whether further bouts of this kind would show nothing new, or cost the full clock each."""
    kinds = {fault.kind for _, fault in iter_faults(bouts)}
    return bool(kinds & {FaultKind.LOAD, FaultKind.TIMEOUT})


def iter_faults(bouts: Iterable[TrialBout]) -> Iterator[tuple[TrialBout, SeatFault]]:
    """Every fault of the bot, with its bout."""
    for bout in bouts:
        for fault in bout.faults:
            yield bout, fault


def _make_title(
    game: Game, rival: str, seat: int, options: Mapping[str, Any], clock: Clock
) -> Text:
    """A short title of a bout."""
    name, other = game.seats[seat], house_bot_title(rival)
    space = " " if other.zh[:1].isascii() else ""
    en, zh = [f"as {name['en']} against {other.en}"], [f"作为{name['zh']}对{space}{other.zh}"]
    if options:
        given = game.Options.describe_values(options)
        en.append(given.en)
        zh.append(given.zh)
    if clock is not game.clock:
        en.append(f"clock {clock.budget:g} s")
        zh.append(f"限时 {clock.budget:g} 秒")
    return Text(", ".join(en), "，".join(zh))
