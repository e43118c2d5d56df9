"""Several contests on the same workers, in one thread: what a server runs."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Mapping
from typing import ParamSpec, TypeVar

from ludus.bots.resolve import BotSource
from ludus.contest.match_bouts import BoutBatch
from ludus.scheduling.bout_events import BoutEventSink
from ludus.scheduling.scheduler import PROGRESS_INTERVAL_S, ProgressCallback, Scheduler
from ludus.scheduling.store import ContestStore
from ludus.workers.pool import WorkerPool

P = ParamSpec("P")
T = TypeVar("T")
OnContestEnd = Callable[[ContestStore, Exception | None], None]
"""Told which contest has left, and why if it was not over."""


class MultiScheduler:
    """Contests come and go; each gets its turn of the workers.

    ``add_contest`` and ``remove_contest`` may be called from any thread, ``run`` from one. A
    contest that fails (a program is gone, its lease was taken) leaves; the others go on. A ladder
    without end stays until it is withdrawn and takes in entrants as they come.
    """

    def __init__(self, pool: WorkerPool, ended: OnContestEnd | None = None) -> None:
        self.pool = pool
        self._on_end = ended
        self._schedulers: dict[int, Scheduler] = {}
        self._to_add: list[Scheduler] = []
        self._to_remove: set[int] = set()
        self._lock = threading.Lock()
        self._next_turn = 0

    def add_contest(
        self,
        store: ContestStore,
        sources: Callable[[], dict[str, BotSource]],
        watch: ProgressCallback | None = None,
        *,
        shown: bool = True,
        events: BoutEventSink | None = None,
        owners: Callable[[], Mapping[str, frozenset[int]]] | None = None,
    ) -> None:
        """Let a contest in. Waits here for a scheduler that has died, not where contests run."""
        scheduler = Scheduler(
            store, sources, self.pool, watch, shown=shown, events=events, owners=owners
        )
        scheduler.start()
        with self._lock:
            self._to_add.append(scheduler)
        self.pool.wake()

    def remove_contest(self, contest_id: int) -> None:
        """Let a contest rest; what is under way is broken off and will be played again."""
        with self._lock:
            self._to_remove.add(contest_id)
        self.pool.wake()

    def run(self, stop: Callable[[], bool]) -> None:
        """Play whatever there is, until ``stop`` says so."""
        try:
            with self.pool:
                while not stop():
                    self._step()
        finally:
            self._apply_changes()
            for scheduler in self._schedulers.values():
                scheduler.stop()
            self._schedulers.clear()

    def _step(self) -> None:
        self._apply_changes()
        self._submit_batches()
        self._handle_reports()
        for scheduler in list(self._schedulers.values()):
            self._call_guarded(scheduler, scheduler.flush)
            if self._call_guarded(scheduler, scheduler.is_over):
                self._remove_scheduler(scheduler, None)

    def _handle_reports(self) -> None:
        """Hear the workers until there is something to store, to give out or to change.

        Events alone are passed on and waited after: a look at what every contest could play next
        after each of them would cost more than the moves did.
        """
        until = time.monotonic() + PROGRESS_INTERVAL_S
        while (left := until - time.monotonic()) > 0:
            reports = self.pool.wait(left)
            for report in reports:
                contest_id = report.key[0]  # type: ignore[index]
                if (scheduler := self._schedulers.get(contest_id)) is not None:
                    self._call_guarded(scheduler, scheduler.handle_report, report)
            if not reports or any(report.results or report.over for report in reports):
                return

    def _apply_changes(self) -> None:
        with self._lock:
            coming, self._to_add = self._to_add, []
            going, self._to_remove = self._to_remove, set()
        self._schedulers |= {scheduler.store.contest_id: scheduler for scheduler in coming}
        for contest_id in going & self._schedulers.keys():
            self._remove_scheduler(self._schedulers[contest_id], None)

    def _submit_batches(self) -> None:
        """One piece of each contest in turn, beginning with another contest every time.

        Ladders without end get what the others leave: people wait for the others.
        """
        runs = list(self._schedulers.values())
        self._next_turn += 1
        first = self._next_turn % max(1, len(runs))
        for endless in (False, True):
            turns = runs[first:] + runs[:first]
            self._submit_in_turns(
                [each for each in turns if each.progress.ledger.is_endless is endless]
            )

    def _submit_in_turns(self, runs: list[Scheduler]) -> None:
        offers = [(each, self._available_batches(each)) for each in runs]
        for number in itertools.count():
            wanted = [(each, legs[number]) for each, legs in offers if number < len(legs)]
            if not wanted:
                return
            for scheduler, leg in wanted:
                if self.pool.free_slots <= 0:
                    return
                self._call_guarded(scheduler, scheduler.submit, leg)

    def _available_batches(self, scheduler: Scheduler) -> list[BoutBatch]:
        return self._call_guarded(scheduler, scheduler.available_batches) or []

    def _call_guarded(
        self, scheduler: Scheduler, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T | None:
        """What goes wrong in one contest, whatever it is, must not end the others."""
        if scheduler.store.contest_id not in self._schedulers:
            return None
        try:
            return act(*args, **kwargs)
        except Exception as error:
            self._remove_scheduler(scheduler, error)
            return None

    def _remove_scheduler(self, scheduler: Scheduler, error: Exception | None) -> None:
        del self._schedulers[scheduler.store.contest_id]
        scheduler.stop()
        if self._on_end is not None:
            self._on_end(scheduler.store, error)
