"""Plays the iterations of a tuning on a worker pool, and goes on where an earlier run ended."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

from ludus.bots.resolve import BotSource
from ludus.errors import LudusError
from ludus.home import ludus_home
from ludus.match.pool import make_match_task
from ludus.match.series import SeriesBout, format_fault
from ludus.match.spec import MatchSpec
from ludus.tuning.journal import IterationResult, TuningHeader, TuningJournal
from ludus.tuning.plan import MIN_LAG, MINUS, PLUS, VERSIONS, TuningPlan
from ludus.tuning.spsa import Spsa
from ludus.tuning.versions import VersionFolder
from ludus.workers.pool import TaskReport, WorkerPool

BROKEN_BOUTS = 16
"""A bot that fails in all of the first so many bouts is broken."""


def find_folder(plan: TuningPlan) -> Path:
    """Where a tuning is kept."""
    return ludus_home() / "tune" / plan.key


class Tuning:
    """A tuning that runs: the path of the values so far, and the journal behind it."""

    def __init__(self, plan: TuningPlan, capacity: int, *, fresh: bool = False) -> None:
        """Open the tuning of this plan, or begin it; with ``fresh`` earlier results are discarded.

        ``capacity`` is the number of tasks that the pool can run at once.
        """
        self.plan = plan
        self.folder = find_folder(plan)
        if fresh:
            shutil.rmtree(self.folder, ignore_errors=True)
        header = TuningHeader(lag=max(MIN_LAG, 2 * capacity), facts=plan.list_facts())
        self.journal = TuningJournal(self.folder, header)
        self.spsa = Spsa(plan.make_settings(self.journal.header.lag))
        self.bouts = self.faults = 0
        """Bouts played, and those in which a bot failed, in all runs."""
        for result in self.journal.results:
            self._count(result)
        self._unfinished: dict[int, list[SeriesBout]] = {}

    @property
    def is_complete(self) -> bool:
        return self.spsa.is_complete

    def _count(self, result: IterationResult) -> None:
        if self.spsa.has_result(result.iteration):
            return
        self.spsa.add_result(result.iteration, result.lead)
        self.bouts += self.plan.bouts_per_iteration
        self.faults += result.faults

    def run(self, pool: WorkerPool, report: Callable[[], None]) -> None:
        """Play what is left; ``report`` is called after every iteration."""
        versions = VersionFolder(self.folder / "versions", self.plan, self.spsa.settings.lag)
        waiting = 0
        try:
            while not self.is_complete:
                waiting = self._submit(pool, versions, waiting)
                for each in pool.wait(None):
                    number = cast(int, each.key)
                    if self._handle(number, each):
                        versions.remove(number)
                        report()
        finally:
            pool.cancel(list(self._unfinished))
            self._unfinished.clear()

    def _submit(self, pool: WorkerPool, versions: VersionFolder, first: int) -> int:
        """Start iterations while there are free workers; the first one that was not started."""
        number = first
        while number < self.plan.iterations and self.spsa.can_perturb(number):
            if not self.spsa.has_result(number):
                if pool.free_slots <= 0:
                    break
                sources = versions.write(self.spsa.perturb(number))
                self._unfinished[number] = []
                pool.submit(number, make_match_task(self._make_spec(number, sources), fresh=True))
            number += 1
        return number

    def _make_spec(self, number: int, versions: tuple[BotSource, BotSource]) -> MatchSpec:
        plan = self.plan
        rival = () if plan.rival is None else (plan.rival,)
        return MatchSpec.for_game(
            plan.game,
            plan.options.as_json(),
            (*versions, *rival),
            plan.plan_iteration(number),
            clock=plan.clock,
            isolate=plan.isolate,
        )

    def _handle(self, number: int, report: TaskReport) -> bool:
        """Take the bouts of a report; whether its iteration is over."""
        played = self._unfinished[number]
        played += report.results
        if report.failure is not None:
            raise report.failure
        if not report.over:
            return False
        del self._unfinished[number]
        result = summarise_iteration(number, played)
        self.journal.append(result)
        self._count(result)
        if self.faults == self.bouts and self.bouts >= BROKEN_BOUTS:
            raise _broken_bot_error(self.plan.bot.name, played)
        return True

    def list_values(self) -> tuple[float, ...]:
        """The values that the tuning arrived at so far, in the units of the bot."""
        return self.plan.source.from_units(self.spsa.result())

    def close(self) -> None:
        self.journal.close()

    def __enter__(self) -> Tuning:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def summarise_iteration(number: int, played: Sequence[SeriesBout]) -> IterationResult:
    """The points of both versions, mirrored pair by mirrored pair."""
    points: dict[int, defaultdict[int, float]] = {player: defaultdict(float) for player in VERSIONS}
    for bout in sorted(played, key=lambda bout: bout.planned.number):
        for player in VERSIONS:
            if player in bout.planned.order:
                points[player][bout.planned.seed] += bout.score(player)
    return IterationResult(
        number,
        tuple(points[PLUS].values()),
        tuple(points[MINUS].values()),
        sum(bool(bout.record.faults) for bout in played),
    )


def _broken_bot_error(name: str, played: Sequence[SeriesBout]) -> LudusError:
    fault = next(fault for bout in played for fault in bout.record.faults)
    return LudusError(
        f"{name} failed in every bout; ludus check says more. The last failure:",
        f"{name} 每一局都出错；ludus check 会给出更多信息。最近一次错误：",
        format_fault(fault),
    )
