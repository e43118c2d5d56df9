"""Several contests on the same workers, in one thread: what a server runs."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Mapping
from typing import ParamSpec, TypeVar

from ludus.bots.resolve import Source
from ludus.contest.match_bouts import Leg
from ludus.scheduling.scheduler import TICK, Scheduler, Watch
from ludus.scheduling.store import Store
from ludus.scheduling.worker_pool import Labour

P = ParamSpec("P")
T = TypeVar("T")
Ended = Callable[[Store, Exception | None], None]
"""Told which contest has left, and why if it was not over."""


class Hall:
    """Contests come and go; each gets its turn of the workers.

    ``admit`` and ``withdraw`` may be called from any thread, ``run`` from one. A contest that fails
    (a program is gone, its lease was taken) leaves; the others go on. A ladder without end stays
    until it is withdrawn and takes in entrants as they come.
    """

    def __init__(self, labour: Labour, ended: Ended | None = None) -> None:
        self.labour = labour
        self._ended = ended
        self._runs: dict[int, Scheduler] = {}
        self._coming: list[Scheduler] = []
        self._going: set[int] = set()
        self._lock = threading.Lock()
        self._bell = threading.Event()
        self._turn = 0

    def admit(
        self,
        store: Store,
        sources: Callable[[], dict[str, Source]],
        watch: Watch | None = None,
        *,
        shown: bool = True,
        owners: Callable[[], Mapping[str, frozenset[int]]] | None = None,
    ) -> None:
        """Let a contest in. Waits here for a scheduler that has died, not where contests run."""
        scheduler = Scheduler(store, sources, self.labour, watch, shown=shown, owners=owners)
        scheduler.begin()
        with self._lock:
            self._coming.append(scheduler)
        self._bell.set()

    def withdraw(self, contest_id: int) -> None:
        """Let a contest rest; what is under way is broken off and will be played again."""
        with self._lock:
            self._going.add(contest_id)
        self._bell.set()

    def run(self, stop: Callable[[], bool]) -> None:
        """Play whatever there is, until ``stop`` says so."""
        try:
            with self.labour:
                while not stop():
                    self._step()
        finally:
            self._change()
            for scheduler in self._runs.values():
                scheduler.end()
            self._runs.clear()

    def _step(self) -> None:
        self._change()
        self._submit()
        if self._at_work():
            for report in self.labour.wait(TICK):
                contest_id = report.key[0]  # type: ignore[index]
                if (scheduler := self._runs.get(contest_id)) is not None:
                    self._guarded(scheduler, scheduler.take, report)
        else:
            self._bell.wait(TICK)
            self._bell.clear()
        for scheduler in list(self._runs.values()):
            self._guarded(scheduler, scheduler.settle)
            if self._guarded(scheduler, scheduler.over):
                self._leave(scheduler, None)

    def _at_work(self) -> bool:
        """Whether something is under way, if only for a contest that has left meanwhile."""
        if self.labour.free < self.labour.places:
            return True
        return any(scheduler.busy for scheduler in self._runs.values())

    def _change(self) -> None:
        with self._lock:
            coming, self._coming = self._coming, []
            going, self._going = self._going, set()
        self._runs |= {scheduler.store.contest_id: scheduler for scheduler in coming}
        for contest_id in going & self._runs.keys():
            self._leave(self._runs[contest_id], None)

    def _submit(self) -> None:
        """One piece of each contest in turn, beginning with another contest every time.

        Ladders without end get what the others leave: people wait for the others.
        """
        runs = list(self._runs.values())
        self._turn += 1
        first = self._turn % max(1, len(runs))
        for endless in (False, True):
            turns = runs[first:] + runs[:first]
            self._share([each for each in turns if each.progress.ledger.endless is endless])

    def _share(self, runs: list[Scheduler]) -> None:
        offers = [(each, self._offers(each)) for each in runs]
        for number in itertools.count():
            wanted = [(each, legs[number]) for each, legs in offers if number < len(legs)]
            if not wanted:
                return
            for scheduler, leg in wanted:
                if self.labour.free <= 0:
                    return
                self._guarded(scheduler, scheduler.give, leg)

    def _offers(self, scheduler: Scheduler) -> list[Leg]:
        return self._guarded(scheduler, scheduler.offers) or []

    def _guarded(
        self, scheduler: Scheduler, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T | None:
        """What goes wrong in one contest, whatever it is, must not end the others."""
        if scheduler.store.contest_id not in self._runs:
            return None
        try:
            return act(*args, **kwargs)
        except Exception as error:
            self._leave(scheduler, error)
            return None

    def _leave(self, scheduler: Scheduler, error: Exception | None) -> None:
        del self._runs[scheduler.store.contest_id]
        scheduler.end()
        if self._ended is not None:
            self._ended(scheduler.store, error)
