"""Runs several contests on one worker pool, in one thread: the scheduler of a server.

Fairness. Contests compete for the free slots of the pool. Each step asks every contest for the
batches it could play now, and hands out slots round by round: the first batch of every contest,
then the second batch of every contest, and so on. So a contest with ten thousand open bouts gets
no more slots than one with ten. When there are fewer slots than contests, the first ones in the
list would always win; therefore every step starts with another contest.

Endless ladders always have something to play. They get only the slots that all other contests
leave, because people wait for the result of a challenge, but not for the next bout of a ladder.

An exception in one contest (its programs cannot be loaded, its lease is lost) removes only that
contest. All of this runs in one thread; other threads only append to lists under a lock and wake
the pool.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import ParamSpec, TypeVar

from ludus.bots.resolve import BotSource
from ludus.contest.match_bouts import BoutBatch
from ludus.scheduling.bout_events import BoutEventSink
from ludus.scheduling.contest_store import ContestStore
from ludus.scheduling.scheduler import PROGRESS_INTERVAL_S, ProgressCallback, Scheduler
from ludus.workers.pool import WorkerPool

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")
OnContestEnd = Callable[[ContestStore, Exception | None], None]
"""Called with a contest that was removed, and the error because of which, if any."""


class MultiScheduler:
    """Runs a changing set of contests on one pool.

    ``add_contest`` and ``remove_contest`` may be called from any thread, ``run`` from one. A
    contest that fails (a program is missing, its lease was lost) is removed, and the others go on.
    An endless ladder stays until it is removed, and picks up new entrants as they join.
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
        resting: Callable[[], frozenset[str]] | None = None,
    ) -> None:
        """Let a contest in. Waits here for a scheduler that has died, not where contests run."""
        scheduler = Scheduler(
            store,
            sources,
            self.pool,
            watch,
            shown=shown,
            events=events,
            owners=owners,
            resting=resting,
        )
        scheduler.start()
        with self._lock:
            self._to_add.append(scheduler)
        self.pool.wake()

    def remove_contest(self, contest_id: int) -> None:
        """Stop a contest; its running bouts are cancelled and will be played again later."""
        with self._lock:
            self._to_remove.add(contest_id)
        self.pool.wake()

    def list_playing(self) -> list[int]:
        """The contests whose bouts are being played or stored; for any thread."""
        return [id for id, each in list(self._schedulers.items()) if each.is_busy]

    def run(self, stop: Callable[[], bool]) -> None:
        """Play all contests until ``stop`` returns True."""
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
            added, self._to_add = self._to_add, []
            removed, self._to_remove = self._to_remove, set()
        self._schedulers |= {scheduler.store.contest_id: scheduler for scheduler in added}
        for contest_id in removed & self._schedulers.keys():
            self._remove_scheduler(self._schedulers[contest_id], None)

    def _submit_batches(self) -> None:
        """Fill the free slots fairly; endless ladders come last (see the module's docstring)."""
        runs = list(self._schedulers.values())
        self._next_turn += 1
        first = self._next_turn % max(1, len(runs))
        for endless in (False, True):
            equals = [
                each
                for each in runs[first:] + runs[:first]
                if each.progress.ledger.is_endless is endless
            ]
            offers = [self._list_offers(each, len(equals) - 1) for each in equals]
            rounds = itertools.zip_longest(*offers)
            for scheduler, batch in filter(None, itertools.chain.from_iterable(rounds)):
                if self.pool.free_slots <= 0:
                    return
                self._call_guarded(scheduler, scheduler.submit, batch)

    def _list_offers(self, scheduler: Scheduler, others: int) -> list[tuple[Scheduler, BoutBatch]]:
        batches = self._call_guarded(scheduler, scheduler.available_batches, others)
        return [(scheduler, batch) for batch in batches or ()]

    def _call_guarded(
        self, scheduler: Scheduler, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T | None:
        """Call a method of one contest; an exception removes that contest, and only that one."""
        if scheduler.store.contest_id not in self._schedulers:
            return None
        try:
            return act(*args, **kwargs)
        except Exception as error:
            log.warning("contest %d stops: %s", scheduler.store.contest_id, error)
            self._remove_scheduler(scheduler, error)
            return None

    def _remove_scheduler(self, scheduler: Scheduler, error: Exception | None) -> None:
        del self._schedulers[scheduler.store.contest_id]
        scheduler.stop()
        if self._on_end is not None:
            self._on_end(scheduler.store, error)
