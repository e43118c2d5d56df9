"""Plays a contest to its end: what is to be played is computed, never queued.

The loop asks the ledger what is to be played, leaves out what is under way, has it played, stores
what comes back, and begins again. Killed anywhere and started anew it goes on: what is in the
database counts, everything else is played again with the same seeds.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field

from ludus.bots.resolve import Source
from ludus.contest.bout_facts import facts_of
from ludus.contest.ladder_ledger import LadderLedger
from ludus.contest.ledger import Ledger
from ludus.contest.match_bouts import Bout, Leg
from ludus.contest.model import Pairing
from ludus.contest.settings import Settings
from ludus.errors import LudusError
from ludus.games.registry import get, opened_at
from ludus.match.record import pack, without_traces
from ludus.match.record_files import Journals, Names, stem_of
from ludus.match.series import Pairing as SeriesPairing
from ludus.match.series import Played, outputs_of
from ludus.match.task import Task
from ludus.sandbox.fault import PlatformFault
from ludus.scheduling.database import StoreTrouble
from ludus.scheduling.lease import Lease
from ludus.scheduling.ledger_loading import ledger_to_play
from ludus.scheduling.store import Brought, Store
from ludus.scheduling.worker_pool import Labour, Report

HEARTBEAT = 3.0
"""Seconds between signs of life."""
TICK = 0.5
"""Seconds after which watchers hear something even if nothing happened."""
SHARE = 4
"""A worker's share of what is to be played is cut into so many pieces."""
LONGEST = 50
"""Bouts in a piece, at most; where a task comes back as a whole, a fifth of that."""
BATCH, LATEST = 32, 0.2
"""Results are stored when there are so many, or after so many seconds: a transaction costs more
than a short bout. What is lost with the scheduler is played again."""
PATIENCE = 120.0
"""Seconds that results wait for a database that cannot be used."""


@dataclass(slots=True)
class Progress:
    """Where the scheduler is, for whoever watches."""

    ledger: Ledger
    played: int = 0
    """Bouts of this run."""
    under_way: int = 0
    """Bouts that are with the workers."""
    trouble: str = ""
    """Why results have to wait, if they have to."""
    latest: list[Brought] = field(default_factory=list)
    """Bouts since the last call."""
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began


Watch = Callable[[Progress], None]


class Scheduler:
    """One run of a contest."""

    def __init__(
        self,
        store: Store,
        sources: Callable[[], dict[str, Source]],
        labour: Labour,
        watch: Watch | None = None,
        *,
        patience: float = PATIENCE,
        pause: Callable[[float], None] = time.sleep,
        stop: Callable[[], bool] | None = None,
        shown: bool = True,
        owners: Callable[[], Mapping[str, frozenset[int]]] | None = None,
    ) -> None:
        self.store, self.labour = store, labour
        self.sources = sources
        """Gives every entrant's program; called again when entrants change."""
        self.settings: Settings = store.settings()
        self.game = get(self.settings.game)
        self.lease = Lease(store)
        self.patience, self.pause = patience, pause
        self._stop = stop
        """Asked after every step: has enough been played?"""
        self._watch = watch
        self._shown = shown
        """Whether people may see the bouts while they are played."""
        self._owners = owners
        """On a ladder without end: who owns which entrant now."""
        self.progress = Progress(Ledger(self.settings, []))
        self._under_way: dict[Hashable, Leg] = {}
        self._waiting: list[Brought] = []
        self._waits_since = 0.0
        self._next_key = 0
        self._since = time.time()
        self._heard = time.monotonic()

    def run(self) -> Ledger:
        """Play until the contest is over; give everything that is known then."""
        self.begin()
        try:
            with self.labour:
                while self._step():
                    pass
        finally:
            self.end()
        return self.progress.ledger

    def begin(self) -> None:
        """Take the lease and read the contest; may wait for a scheduler that has died."""
        self.lease.acquire()
        try:
            self._load()
        except BaseException:
            self.lease.release()
            raise

    def end(self) -> None:
        """Store what has come back, and break off what is under way."""
        self.labour.cancel(list(self._under_way))
        self._under_way.clear()
        with contextlib.suppress(StoreTrouble):  # then it is played again
            self._bring()
        self.lease.release()

    def _load(self) -> None:
        """Read everything from the database."""
        self._changes = self.store.changes()
        self._programs = self.sources()
        ledger = self.progress.ledger = ledger_to_play(self.store)
        if self._owners is not None and isinstance(ledger, LadderLedger):
            ledger.owners_now = self._owners
        self._break_off_dropped()

    def _break_off_dropped(self) -> None:
        """Whoever was dropped plays no more, the bout under way included."""
        gone = {each.name for each in self.progress.ledger.entrants if each.dropped}
        keys = [
            key for key, leg in self._under_way.items() if gone.intersection(leg.pairing.entrants)
        ]
        self.labour.cancel(keys)
        for key in keys:
            del self._under_way[key]

    def _step(self) -> bool:
        """One turn of the loop; False when nothing is left to do."""
        for piece in self.offers():
            if self.labour.free <= 0:
                break
            self.give(piece)
        if not self.busy:
            return False
        for report in self.labour.wait(TICK):
            self.take(report)
        self.settle()
        return self._stop is None or not self._stop()

    @property
    def busy(self) -> bool:
        """Whether anything is with the workers or on its way into the database."""
        return bool(self._under_way or self._waiting)

    def over(self) -> bool:
        """Whether nothing is left to do, and never will be."""
        ledger = self.progress.ledger
        return not self.busy and not ledger.endless and ledger.over

    # What is to be played

    def offers(self) -> list[Leg]:
        """What could be played now, in pieces, the most urgent first."""
        if self.labour.free <= 0 or self._waiting:
            return []
        room = self._longest * SHARE * max(1, self.labour.places)
        wanted = []
        for leg in self._wanted():
            wanted.append(leg)
            room -= len(leg.bouts)
            if room <= 0:
                break
        return self._pieces(wanted)

    def give(self, piece: Leg) -> None:
        """Have a piece played."""
        key = (self.store.contest_id, self._next_key)
        self._next_key += 1
        whole = self.settings.rules(piece.pairing).memory
        self.labour.submit(key, self._task(piece), whole=whole)
        self._under_way[key] = piece

    def _wanted(self) -> Iterator[Leg]:
        """What the ledger asks for, less what is under way."""
        busy = {
            (leg.pairing.id, bout.number) for leg in self._under_way.values() for bout in leg.bouts
        }
        for leg in self.progress.ledger.legs():
            if self.settings.rules(leg.pairing).memory:
                if not any((leg.pairing.id, bout.number) in busy for bout in leg.bouts):
                    yield leg
                continue
            left = tuple(bout for bout in leg.bouts if (leg.pairing.id, bout.number) not in busy)
            if left:
                yield Leg(leg.pairing, left)

    @property
    def _longest(self) -> int:
        return LONGEST if self.labour.streams else max(2, LONGEST // 5)

    def _pieces(self, legs: list[Leg]) -> list[Leg]:
        """Legs of a match joined into pieces: few starts of bots, but work for every worker."""
        total = sum(len(leg.bouts) for leg in legs)
        size = max(1, min(self._longest, total // (SHARE * max(1, self.labour.places))))
        found: list[Leg] = []
        for leg in legs:
            last = found[-1] if found else None
            together = (
                last is not None
                and leg.enough is None
                and last.enough is None
                and last.pairing == leg.pairing
                and len(last.bouts) + len(leg.bouts) <= size
            )
            if together and last is not None:
                found[-1] = dataclasses.replace(last, bouts=last.bouts + leg.bouts)
            else:
                found.append(leg)
        return found

    def _task(self, leg: Leg) -> Task:
        rules = self.settings.rules(leg.pairing)
        return Task(
            game=self.game.name,
            folder=opened_at(self.game.name),
            version=self.game.version,
            options=self.settings.options,
            sources=tuple(self._programs[name] for name in leg.pairing.entrants),
            pairings=tuple(SeriesPairing(b.number, b.seed, b.seated) for b in leg.bouts),
            clock=self.settings.clock.of(self.game, rules.budget),
            isolate=self.settings.isolate,
            level=self.settings.jail,
            watch=self._journals(leg.pairing) if self._shown else None,
            enough=leg.enough,
        )

    def _journals(self, pairing: Pairing) -> Journals:
        """Whoever looks at the page sees the bouts of a contest as they are played."""
        stem = stem_of(self.game.name, pairing.entrants, self._since)
        if self.store.private:
            stem = f"contest{self.store.contest_id}-{stem}"
        return Journals(Names(stem, self.settings.rules(pairing).bouts))

    # What comes back

    def take(self, report: Report) -> None:
        """Hear of a piece that was given."""
        leg = self._under_way.get(report.key)
        if leg is None:  # given before this contest was withdrawn and came back
            return
        if report.played and not self._waiting:
            self._waits_since = time.monotonic()
        for played in report.played:
            self._waiting.append(self._brought(leg.pairing, played))
        if report.over:
            del self._under_way[report.key]
        elif report.played and not self.settings.rules(leg.pairing).memory:
            done = {played.pairing.number for played in report.played}
            left: tuple[Bout, ...] = tuple(b for b in leg.bouts if b.number not in done)
            self._under_way[report.key] = dataclasses.replace(leg, bouts=left)
        if report.failure is not None:
            self._store()
            raise self._explained(leg.pairing, report.failure)

    def _brought(self, pairing: Pairing, played: Played) -> Brought:
        names = tuple(pairing.entrants[i] for i in played.pairing.order)
        figures = self.settings.rules(pairing).fault_figures
        private = self.store.private
        record = without_traces(played.record) if private else played.record
        facts = facts_of(self.game, record, played.pairing.number, names, figures)
        return Brought(pairing, facts, pack(record), outputs_of(played) if private else ())

    def _explained(self, pairing: Pairing, failure: Exception) -> Exception:
        if isinstance(failure, LudusError):
            names = " – ".join(pairing.entrants)
            return LudusError(
                f"{names}: {failure.text['en']}", f"{names}：{failure.text['zh']}", failure.detail
            )
        assert isinstance(failure, PlatformFault)
        return failure

    def _store(self) -> None:
        """Store what has come back; if the database cannot be used, try again for a while."""
        until = time.monotonic() + self.patience
        while self._waiting:
            try:
                self._bring()
            except StoreTrouble as trouble:
                if time.monotonic() >= until:
                    raise self._gave_up(trouble) from trouble
                self.progress.trouble = str(trouble)
                self._tell()
                self.pause(min(2.0, self.patience / 10))
        self.progress.trouble = ""

    def _bring(self) -> None:
        if not self._waiting:
            return
        counted = self.store.bring(self._waiting)
        for brought, new in zip(self._waiting, counted, strict=True):
            if new:
                self.progress.ledger.add(brought.pairing, brought.facts)
                self.progress.latest.append(brought)
                self.progress.played += 1
        self._waiting.clear()

    def _gave_up(self, trouble: StoreTrouble) -> LudusError:
        count = len(self._waiting)
        return LudusError(
            f"{trouble.text['en']}. {count} bouts could not be saved; once that is solved,"
            " go on with: ludus contest resume (they will be played again)",
            f"{trouble.text['zh']}。有 {count} 局无法保存；解决后请用 ludus contest resume 继续"
            "（这些局会重新进行）",
        )

    # Signs of life

    def settle(self) -> None:
        """Store what has come back, show that we live, tell whoever watches."""
        if self._due():
            self._store()
        self._live()
        self._tell()

    def _due(self) -> bool:
        """Whether results have waited long enough, or somebody waits for them."""
        waited = time.monotonic() - self._waits_since
        enough = len(self._waiting) >= BATCH or waited >= LATEST
        asked = self.labour.free > 0 or not self._under_way or self._stop is not None
        return enough or asked

    def _live(self) -> None:
        """Now and then: tell that we live, and look whether anything was changed from outside."""
        if time.monotonic() - self._heard < HEARTBEAT:
            return
        self._heard = time.monotonic()
        try:
            self.lease.renew()
            changed = self.store.changes() != self._changes
        except StoreTrouble as trouble:
            self.progress.trouble = str(trouble)
            return
        if changed:
            self._load()

    def _tell(self) -> None:
        self.progress.under_way = sum(len(leg.bouts) for leg in self._under_way.values())
        if self._watch is not None:
            self._watch(self.progress)
        self.progress.latest.clear()
