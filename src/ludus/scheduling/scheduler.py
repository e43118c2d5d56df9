"""Plays a contest to its end. What is to be played is computed, never queued.

There is no table of pending work. In every turn of the loop the scheduler asks the ledger which
bouts the format needs next, leaves out those that are with the workers, submits the rest as far as
there are free slots, stores the results that came back, and starts over. The next bouts are a pure
function of the settings, the entrants and the stored bouts. So a scheduler that was killed at any
point can simply be started again: stored bouts count, all others are played again with the same
seeds, and there is no queue that could disagree with the results.

Results are stored in groups, because a transaction costs more than a short bout. If the database
is not available, they wait in memory and are retried for a while; meanwhile nothing new is
submitted. The lease (see ``lease``) makes sure that no second scheduler plays the same contest;
the same heartbeat notices changes from outside (a new entrant, a voided bout) and reloads.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field

from ludus.bots.resolve import BotSource
from ludus.called import program_name
from ludus.contest.bout_facts import extract_facts
from ludus.contest.bout_openings import draw_openings
from ludus.contest.ladder_ledger import LadderLedger
from ludus.contest.ledger import Ledger
from ludus.contest.match_bouts import BoutBatch
from ludus.contest.model import Pairing
from ludus.contest.settings import ContestSettings
from ludus.errors import LudusError, PlatformFault
from ludus.games.registry import get
from ludus.match.pool import EventStream, make_match_task
from ludus.match.record import pack, remove_traces
from ludus.match.record_files import BoutFileNames, JournalFactory, make_stem
from ludus.match.series import (
    ObserverFactory,
    PlannedBout,
    SeriesBout,
    collect_notes,
    collect_outputs,
)
from ludus.match.spec import MatchSpec
from ludus.scheduling.bout_events import BatchEvents, BoutEventSink
from ludus.scheduling.bout_store import PlayedBout
from ludus.scheduling.contest_store import ContestStore
from ludus.scheduling.database import DatabaseUnavailable
from ludus.scheduling.lease import Lease
from ludus.scheduling.ledger_loading import load_scheduler_ledger
from ludus.workers.pool import TaskReport, WorkerPool

HEARTBEAT_INTERVAL_S = 3.0
"""Seconds between two renewals of the lease."""
PROGRESS_INTERVAL_S = 0.5
"""Seconds after which progress is reported even if nothing happened."""
BATCHES_PER_WORKER = 4
"""The open bouts are split into so many batches per worker."""
MAX_BATCH_BOUTS = 50
"""The most bouts in a batch; a fifth of it if the pool returns a task only as a whole."""
BATCH, LATEST = 32, 0.2
"""Results are stored when there are so many, or after so many seconds: a transaction costs more
than a short bout. Results that are lost with the scheduler are played again."""
DATABASE_RETRY_S = 120.0
"""Seconds that results wait for an unavailable database."""


@dataclass(slots=True)
class ContestProgress:
    """The state of a scheduler, for progress callbacks."""

    ledger: Ledger
    played: int = 0
    """Bouts played in this run."""
    under_way: int = 0
    """Bouts that the workers are playing."""
    trouble: str = ""
    """Why results cannot be stored at the moment, if so."""
    new_bouts: list[PlayedBout] = field(default_factory=list)
    """Bouts stored since the last call."""
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began


ProgressCallback = Callable[[ContestProgress], None]


class Scheduler:
    """Plays one contest on a worker pool."""

    def __init__(
        self,
        store: ContestStore,
        sources: Callable[[], dict[str, BotSource]],
        pool: WorkerPool,
        watch: ProgressCallback | None = None,
        *,
        patience: float = DATABASE_RETRY_S,
        pause: Callable[[float], None] = time.sleep,
        stop: Callable[[], bool] | None = None,
        shown: bool = True,
        events: BoutEventSink | None = None,
        owners: Callable[[], Mapping[str, frozenset[int]]] | None = None,
        resting: Callable[[], frozenset[str]] | None = None,
    ) -> None:
        self.store, self.pool = store, pool
        self.sources = sources
        """Loads every entrant's program; called again when entrants change."""
        self.settings: ContestSettings = store.settings()
        self.game = get(self.settings.game)
        self._openings = self.settings.load_openings()
        self.lease = Lease(store)
        self.patience, self.pause = patience, pause
        self._stop = stop
        """Called after every step; True ends the run."""
        self._watch = watch
        self._shown = shown and (events is not None or not store.private)
        """Whether people may see the bouts while they are played: a server's contests are not
        everybody's business, so their bouts are never written to journals."""
        self._events = BatchEvents(store.contest_id, self.game.name, events) if events else None
        """Where their moves go; without it workers write journals."""
        self._get_owners = owners
        """For endless ladders: the current owners of each entrant."""
        self._get_resting = resting
        """For endless ladders: the entrants that begin no match now."""
        self.progress = ContestProgress(Ledger(self.settings, []))
        self._under_way: dict[Hashable, BoutBatch] = {}
        self._unsaved: list[PlayedBout] = []
        self._unsaved_since = 0.0
        self._next_key = 0
        self._started_at = time.time()
        self._last_heartbeat = time.monotonic()

    def run(self) -> Ledger:
        """Play until the contest is over; returns its ledger."""
        self.start()
        try:
            with self.pool:
                while self._step():
                    pass
        finally:
            self.stop()
        return self.progress.ledger

    def start(self) -> None:
        """Take the lease and load the contest; may wait for the lease of a dead scheduler."""
        self.lease.acquire()
        try:
            self._load()
        except BaseException:
            self.lease.release()
            raise

    def stop(self) -> None:
        """Store what has come back, and break off what is under way."""
        self._cancel_batches(list(self._under_way))
        with contextlib.suppress(DatabaseUnavailable):  # then it is played again
            self._save_bouts()
        self.lease.release()

    def _load(self) -> None:
        """Load the ledger and the programs."""
        self._changes = self.store.changes()
        self._programs = self.sources()
        ledger = self.progress.ledger = load_scheduler_ledger(self.store)
        if self._get_owners is not None and isinstance(ledger, LadderLedger):
            ledger.get_owners = self._get_owners
        if self._get_resting is not None and isinstance(ledger, LadderLedger):
            ledger.get_resting = self._get_resting
        self._cancel_dropped()

    def _cancel_dropped(self) -> None:
        """Cancel the running bouts of dropped entrants."""
        dropped = {each.name for each in self.progress.ledger.entrants if each.dropped}
        keys = [
            key
            for key, batch in self._under_way.items()
            if dropped.intersection(batch.pairing.entrants)
        ]
        self._cancel_batches(keys)

    def _cancel_batches(self, keys: list[Hashable]) -> None:
        self.pool.cancel(keys)
        for key in keys:
            del self._under_way[key]
        if self._events is not None:
            self._events.drop_batches(keys)

    def _step(self) -> bool:
        """One turn of the loop; False when nothing is left to do."""
        for batch in self.available_batches():
            if self.pool.free_slots <= 0:
                break
            self.submit(batch)
        if not self.is_busy:
            return False
        for report in self.pool.wait(PROGRESS_INTERVAL_S):
            self.handle_report(report)
        self.flush()
        return self._stop is None or not self._stop()

    @property
    def is_busy(self) -> bool:
        """Whether bouts are being played or wait to be stored."""
        return bool(self._under_way or self._unsaved)

    def is_over(self) -> bool:
        """Whether the contest is finished and everything is stored."""
        ledger = self.progress.ledger
        return not self.is_busy and not ledger.is_endless and ledger.is_over

    # Choosing and submitting bouts

    def available_batches(self, others: int = 0) -> list[BoutBatch]:
        """The batches that could be played now, the most urgent first.

        ``others``: how many more contests want the workers. A contest that gets few workers
        makes few, long batches, because each of them starts its bots.
        """
        if self.pool.free_slots <= 0 or self._unsaved:
            return []
        batches = BATCHES_PER_WORKER * max(1, math.ceil(self.pool.capacity / (1 + others)))
        room = self._max_batch_bouts * batches
        wanted = []
        for batch in self._missing_batches():
            wanted.append(batch)
            room -= len(batch.bouts)
            if room <= 0:
                break
        return self._join_batches(wanted, batches)

    def submit(self, batch: BoutBatch) -> None:
        """Give a batch to the pool."""
        key = (self.store.contest_id, self._next_key)
        self._next_key += 1
        whole = self.settings.rules_for_pairing(batch.pairing).memory
        self.pool.submit(key, make_match_task(self._make_spec(batch), whole=whole))
        self._under_way[key] = batch
        if self._events is not None:
            self._events.add_batch(key, batch)

    def _missing_batches(self) -> Iterator[BoutBatch]:
        """The bouts that the ledger asks for, without those that are being played."""
        busy = {
            (batch.pairing.id, bout.number)
            for batch in self._under_way.values()
            for bout in batch.bouts
        }
        for batch in self.progress.ledger.playable_batches():
            if self.settings.rules_for_pairing(batch.pairing).memory:
                if not any((batch.pairing.id, bout.number) in busy for bout in batch.bouts):
                    yield batch
                continue
            left = tuple(
                bout for bout in batch.bouts if (batch.pairing.id, bout.number) not in busy
            )
            if left:
                yield BoutBatch(batch.pairing, left)

    @property
    def _max_batch_bouts(self) -> int:
        return MAX_BATCH_BOUTS if self.pool.streams_results else max(2, MAX_BATCH_BOUTS // 5)

    def _join_batches(self, batches: list[BoutBatch], wanted: int) -> list[BoutBatch]:
        """Join batches of the same match until about as many are left as wanted: few starts of
        bots, but work for every worker."""
        total = sum(len(batch.bouts) for batch in batches)
        size = max(1, min(self._max_batch_bouts, total // wanted))
        joined: list[BoutBatch] = []
        for batch in batches:
            last = joined[-1] if joined else None
            together = (
                last is not None
                and batch.wins_needed is None
                and last.wins_needed is None
                and last.pairing == batch.pairing
                and len(last.bouts) + len(batch.bouts) <= size
            )
            if together and last is not None:
                joined[-1] = dataclasses.replace(last, bouts=last.bouts + batch.bouts)
            else:
                joined.append(batch)
        return joined

    def _make_spec(self, batch: BoutBatch) -> MatchSpec:
        """The spec of a batch: the programs of its entrants and the contest's settings."""
        rules = self.settings.rules_for_pairing(batch.pairing)
        return MatchSpec.for_game(
            self.game,
            self.settings.options,
            (self._programs[name] for name in batch.pairing.entrants),
            draw_openings(batch, rules, self._openings, self.settings.seed),
            clock=self.settings.clock.for_game(self.game, rules.budget),
            isolate=self.settings.isolate,
            jail=self.settings.jail,
            watch=self._create_observers(batch.pairing) if self._shown else None,
            wins_needed=batch.wins_needed,
        )

    def _create_observers(self, pairing: Pairing) -> ObserverFactory:
        """Whoever looks at the page sees the bouts of a contest as they are played."""
        if self._events is not None:
            return EventStream()
        stem = make_stem(self.game.name, pairing.entrants, self._started_at)
        return JournalFactory(BoutFileNames(stem, self.settings.rules_for_pairing(pairing).bouts))

    # Results

    def handle_report(self, report: TaskReport) -> None:
        """Take the results of a batch; raises its failure, if any."""
        batch = self._under_way.get(report.key)
        if batch is None:  # submitted before this contest was removed and added again
            return
        if self._events is not None:
            self._events.pass_on(report)
        if report.results and not self._unsaved:
            self._unsaved_since = time.monotonic()
        for played in report.results:
            self._unsaved.append(self._make_played_bout(batch.pairing, played))
        if report.over:
            del self._under_way[report.key]
        elif report.results and not self.settings.rules_for_pairing(batch.pairing).memory:
            done = {played.planned.number for played in report.results}
            left: tuple[PlannedBout, ...] = tuple(b for b in batch.bouts if b.number not in done)
            self._under_way[report.key] = dataclasses.replace(batch, bouts=left)
        if report.failure is not None:
            self._save_with_retry()
            raise self._explain_failure(batch.pairing, report.failure)

    def _make_played_bout(self, pairing: Pairing, played: SeriesBout) -> PlayedBout:
        names = tuple(pairing.entrants[i] for i in played.planned.order)
        figures = self.settings.rules_for_pairing(pairing).fault_figures
        private = self.store.private
        record = remove_traces(played.record) if private else played.record
        facts = extract_facts(self.game, record, played.planned.number, names, figures)
        outputs = collect_outputs(played) if private else collect_notes(played)
        return PlayedBout(pairing, facts, pack(record), outputs)

    def _explain_failure(self, pairing: Pairing, failure: Exception) -> Exception:
        if isinstance(failure, LudusError):
            names = " – ".join(pairing.entrants)
            return LudusError(
                f"{names}: {failure.text['en']}", f"{names}：{failure.text['zh']}", failure.detail
            )
        assert isinstance(failure, PlatformFault)
        return failure

    def _save_with_retry(self) -> None:
        """Store the results; if the database is unavailable, retry for ``patience`` seconds."""
        until = time.monotonic() + self.patience
        while self._unsaved:
            try:
                self._save_bouts()
            except DatabaseUnavailable as trouble:
                if time.monotonic() >= until:
                    raise self._storage_timeout_error(trouble) from trouble
                self.progress.trouble = str(trouble)
                self._report_progress()
                self.pause(min(2.0, self.patience / 10))
        self.progress.trouble = ""

    def _save_bouts(self) -> None:
        if not self._unsaved:
            return
        saved = self.store.save_bouts(self._unsaved)
        self.progress.ledger.add_tallies(saved.tallies)
        for bout, new in zip(self._unsaved, saved.new, strict=True):
            if new:
                self.progress.ledger.add(bout.pairing, bout.facts)
                self.progress.new_bouts.append(bout)
                self.progress.played += 1
        self._unsaved.clear()

    def _storage_timeout_error(self, trouble: DatabaseUnavailable) -> LudusError:
        count = len(self._unsaved)
        return LudusError(
            f"{trouble.text['en']}. {count} bouts could not be saved; when this is fixed,"
            f" continue with: {program_name()} contest resume (they will be played again)",
            f"{trouble.text['zh']}。有 {count} 局无法保存；解决后请用"
            f" {program_name()} contest resume 继续（这些局会重新进行）",
        )

    # Storing, heartbeat and progress

    def flush(self) -> None:
        """Store results if due, renew the lease and report progress; called in every step."""
        if self._is_flush_due():
            self._save_with_retry()
        self._send_heartbeat()
        self._report_progress()

    def _is_flush_due(self) -> bool:
        """Whether results have waited long enough, or the next step needs them."""
        waited = time.monotonic() - self._unsaved_since
        enough = len(self._unsaved) >= BATCH or waited >= LATEST
        asked = self.pool.free_slots > 0 or not self._under_way or self._stop is not None
        return enough or asked

    def _send_heartbeat(self) -> None:
        """Every few seconds: renew the lease and reload if the contest was changed from outside."""
        if time.monotonic() - self._last_heartbeat < HEARTBEAT_INTERVAL_S:
            return
        self._last_heartbeat = time.monotonic()
        try:
            self.lease.renew()
            changed = self.store.changes() != self._changes
        except DatabaseUnavailable as trouble:
            self.progress.trouble = str(trouble)
            return
        if changed:
            self._load()

    def _report_progress(self) -> None:
        self.progress.under_way = sum(len(batch.bouts) for batch in self._under_way.values())
        if self._watch is not None:
            self._watch(self.progress)
        self.progress.new_bouts.clear()
