"""Keeps the hall as the database says: who plays on which ladder, which contest begins or ends."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.bots.resolve import Source, find_house
from ludus.contest.ladder_ledger import LadderLedger
from ludus.contest.model import Entrant
from ludus.errors import LudusError
from ludus.games.registry import listed
from ludus.sandbox.fault import PlatformFault
from ludus.scheduling.database import StoreTrouble
from ludus.scheduling.lease import AlreadyRunning, LeaseLost
from ludus.scheduling.multi_scheduler import Hall
from ludus.scheduling.scheduler import Progress, Watch
from ludus.scheduling.store import Store, Taker
from ludus.server.accounts import notices
from ludus.server.admin import overview, site_settings
from ludus.server.bots import version_check
from ludus.server.bots.version_files import Locker
from ludus.server.contests import events, ladders, lifecycle
from ludus.server.contests.ladders import Chart
from ludus.server.database import Database
from ludus.server.tables import EntryRow, EventRow
from ludus.server.timestamps import now

MOST = 24
"""Events that are played at once; the others wait, oldest first."""
AGAIN = 5.0
"""Seconds until an event that could not be begun is tried again."""

CLEANING = 3600.0
"""Seconds between two times of throwing away what is old."""

Tell = Callable[[dict[str, Any]], None]


class Clerk:
    """One for each office. ``tick`` is called now and then, and when somebody rings.

    Contests come in by ``tick`` and leave in the hall's thread, which calls ``ended``: what both
    change is changed under ``_lock``.
    """

    def __init__(
        self,
        database: Database,
        locker: Locker,
        hall: Hall,
        tell: Tell,
        *,
        allow_plain: bool = False,
    ) -> None:
        self._allow_plain = allow_plain
        self.database, self.locker, self.hall, self.tell = database, locker, hall, tell
        self._lock = threading.Lock()
        self.playing: dict[int, int] = {}
        """Contest → event, of those that are in the hall."""
        self.played = 0
        self._leaving: set[int] = set()
        self._wanted: dict[str, tuple[Any, ...]] = {}
        """By game what its ladder was last arranged for."""
        self._charts: dict[int, Chart] = {}
        self._cleaning = time.monotonic() + CLEANING
        self._later: dict[int, float] = {}
        """Events that wait until they are tried again."""

    def tick(self) -> None:
        """Bring everything up to date with the database."""
        self._turn_pages()
        self._tend_ladders()
        self._let_in()
        self._see_out()
        if time.monotonic() >= self._cleaning:
            self._cleaning = time.monotonic() + CLEANING
            with self.database.writing() as session:
                overview.throw_away(session, site_settings.read(session).outputs_days)

    # Times

    def _turn_pages(self) -> None:
        with self.database.reading() as session:
            due = lifecycle.due(session)
        for event_id in due:
            with self.database.writing() as session:
                lifecycle.turn(session, events.event_of(session, event_id))
            self.tell({"type": "event", "id": event_id})

    # Ladders

    def _tend_ladders(self) -> None:
        with self.database.reading() as session:
            wanted = ladders.games_wanted(session)
            house = site_settings.read(session)
            known = {e.game for e in self._ladders(session)}
        for game in sorted({*wanted, *known}):
            on = house.ladders.get(game, True)
            now_wanted = wanted.get(game, ()) if on else ()
            terms = events.ladder_settings(game, house)
            state = (now_wanted, tuple(house.ladder_house.get(game, ())), terms)
            if state != self._wanted.get(game) and self._arrange(game, house, on):
                self._wanted[game] = state

    def _ladders(self, session: Session) -> list[EventRow]:
        return list(session.scalars(sql.select(EventRow).where(EventRow.kind == events.LADDER)))

    def _arrange(self, game: str, house: site_settings.HouseRules, on: bool) -> bool:
        """Let those play on a game's ladder who are put forward, and nobody else."""
        try:
            listed(game)
        except LudusError:
            return True
        event_id, store = self._ladder(game, house)
        with self.database.writing() as session:
            event = events.event_of(session, event_id)
            names = self._entries(session, event, house)
            event.state = events.RUNNING if names and on else events.CLOSED
            ladders.keep_only(session, event_id, names)
        takers = {taker.entrant.name: taker.entrant for taker in store.takers()}
        fresh = [name for name in names if name not in takers]
        store.enter([self._taker(name, names[name]) for name in fresh])
        for name in names:
            if name in takers and takers[name].dropped:
                store.rejoin(name, 1)
        for name, entrant in takers.items():
            if name not in names and not entrant.dropped:
                store.drop(name, 1)
        self.tell({"type": "event", "id": event_id})
        return True

    def _ladder(self, game: str, house: site_settings.HouseRules) -> tuple[int, Store]:
        with self.database.writing() as session:
            settings = events.ladder_settings(game, house)
            event = events.ladder_of(session, game)
            if event is not None and not events.same_terms(event.settings, settings):
                event.state, event.ended = events.OVER, now()
                event = None
            settings["seed"] = events.ladder_seed(event)
            if event is None:
                event = events.make(session, events.LADDER, game, settings)
            event.settings = settings
            event_id, whole = event.id, events.settings_of(event)
        store = self._store(event_id)
        if store.settings() != whole:
            store.change(whole)
        return event_id, store

    def _entries(
        self, session: Session, event: EventRow, rules_: site_settings.HouseRules
    ) -> dict[str, EntryRow]:
        """The entries of those who are put forward, and of the house bots if there are any."""
        known = {entry.entrant: entry for entry in events.entries_of(session, event.id)}
        by_version = {entry.version_id: entry for entry in known.values() if entry.version_id}
        chosen = ladders.wanted(session, event.game)
        taken = set(known)
        found = []
        for bot, version in chosen:
            entry = by_version.get(version.id)
            found.append(entry or events.enter_version(session, event, version, bot, taken))
        if chosen:
            known_house = list(listed(event.game).bots())
            for house in rules_.ladder_house.get(event.game, ladders.usual_house(known_house)):
                if house not in known_house:
                    continue
                entry = known.get(house)
                found.append(entry or events.enter_house(session, event, house, taken))
        session.flush()
        return {entry.entrant: entry for entry in found}

    # Contests in the hall

    def _store(self, event_id: int) -> Store:
        """The contest of an event, begun if it has not been."""
        with self.database.reading() as session:
            event = events.event_of(session, event_id)
            contest_id, settings = event.contest_id, ladders.settings_to_play(session, event)
            entries = [e for e in events.entries_of(session, event_id) if not e.dropped]
        engine = self.database.engine
        if contest_id is not None:
            return Store(engine, contest_id, private=True)
        store = Store.open(engine, settings.name)  # begun by an office that was killed meanwhile
        if store is None:
            store = Store.create(engine, settings, private=True)
        store.private = True
        known = {taker.entrant.name for taker in store.takers()}
        store.enter([self._taker(e.entrant, e) for e in entries if e.entrant not in known])
        with self.database.writing() as session:
            events.event_of(session, event_id).contest_id = store.contest_id
        return store

    def _taker(self, name: str, entry: EntryRow) -> Taker:
        bot = entry.house or f"version {entry.version_id}"
        return Taker(Entrant(name, seed=entry.seed), bot, "")

    def _now_playing(self) -> dict[int, int]:
        with self._lock:
            return dict(self.playing)

    def _let_in(self) -> None:
        playing = list(self._now_playing().values())
        with self.database.reading() as session:
            query = sql.select(EventRow.id, EventRow.kind).where(
                EventRow.state == events.RUNNING, EventRow.id.not_in(playing)
            )
            waiting = list(session.execute(query.order_by(EventRow.id)))
        ladder_first = sorted(waiting, key=lambda row: (row.kind != events.LADDER, row.id))
        for event_id, _ in ladder_first:
            if len(self.playing) >= MOST:
                return
            with self._lock:
                later = self._later.get(event_id, 0.0)
            if time.monotonic() >= later:
                self._admit(event_id)

    def _admit(self, event_id: int) -> None:
        try:
            store = self._store(event_id)
            self._reconcile(event_id, store)
            with self.database.reading() as session:
                event = events.event_of(session, event_id)
                kind, game = event.kind, event.game
                shown = not event.hidden and kind != events.TEST
            self._refuse_plain(store)
            with self._lock:
                self.playing[store.contest_id] = event_id
            watch = self._watch(event_id, kind, game)
            owners = functools.partial(self._owners, event_id)
            self.hall.admit(store, self._sources(event_id), watch, shown=shown, owners=owners)
        except StoreTrouble:
            raise
        except (LudusError, PlatformFault) as error:
            with self._lock:
                for contest_id in [c for c, e in self.playing.items() if e == event_id]:
                    del self.playing[contest_id]
                self._later[event_id] = time.monotonic() + AGAIN
            if isinstance(error, LudusError):
                self._stumble(event_id, error)
            else:  # no process could be started: that passes
                traceback.print_exception(error, file=sys.stderr)

    def _refuse_plain(self, store: Store) -> None:
        """What was begun while plain jails were allowed does not go on when they are not."""
        if store.settings().jail == "plain" and not self._allow_plain:
            raise LudusError(
                "it was to be played in plain jails, and the server does not allow them now",
                "它要求在 plain 级沙箱中进行，而服务器现在不允许",
            )

    def _stumble(self, event_id: int, error: LudusError) -> None:
        """Another office may be about to let go; a contest that cannot begin says why."""
        with self.database.writing() as session:
            event = events.event_of(session, event_id)
            if event.kind != events.LADDER and not isinstance(error, AlreadyRunning):
                event.state, event.why = events.STOPPED, dict(error.text)

    def _reconcile(self, event_id: int, store: Store) -> None:
        """Whoever was disqualified plays no more."""
        with self.database.reading() as session:
            event = events.event_of(session, event_id)
            if event.kind == events.LADDER:
                return
            gone = {e.entrant for e in events.entries_of(session, event_id) if e.dropped}
        for taker in store.takers() if gone else ():
            if taker.entrant.name in gone and not taker.entrant.dropped:
                store.drop(taker.entrant.name, 1)

    def _sources(self, event_id: int) -> Callable[[], dict[str, Source]]:
        """The programs of everybody who plays."""

        def sources() -> dict[str, Source]:
            with self.database.reading() as session:
                event = events.event_of(session, event_id)
                game = listed(event.game)
                store = Store(self.database.engine, event.contest_id or 0)
                entries = events.entries_of(session, event_id)
            playing = {t.entrant.name for t in store.takers() if not t.entrant.dropped}
            found = {}
            for entry in entries:
                if entry.entrant not in playing:
                    continue
                if entry.house:
                    found[entry.entrant] = find_house(entry.house, game)
                elif entry.version_id is not None:
                    source = self.locker.source(entry.version_id, entry.entrant, game)
                    found[entry.entrant] = source
            return {name: dataclasses.replace(s, name=name) for name, s in found.items()}

        return sources

    def _owners(self, event_id: int) -> dict[str, frozenset[int]]:
        with self.database.reading() as session:
            return ladders.owners_of(session, event_id)

    def _watch(self, event_id: int, kind: str, game: str) -> Watch:
        if kind == events.LADDER:
            chart = Chart(event_id, version_check.rival_of(listed(game)))
            self._charts[event_id] = chart
            return lambda progress: self._charted(chart, progress)
        return lambda progress: self._told(event_id, progress)

    def _told(self, event_id: int, progress: Progress) -> None:
        if progress.latest:
            self.played += len(progress.latest)
            self.tell({"type": "event", "id": event_id})

    def _charted(self, chart: Chart, progress: Progress) -> None:
        self._told(chart.event_id, progress)
        chart.news += len(progress.latest)
        chart.news += progress.ledger is not chart.ledger
        chart.ledger = progress.ledger
        assert isinstance(progress.ledger, LadderLedger)
        if chart.news and chart.due():
            with contextlib.suppress(StoreTrouble):  # the next bouts will bring it up again
                with self.database.writing() as session:
                    chart.write(session, progress.ledger)
                chart.news = 0
                self.tell({"type": "event", "id": chart.event_id})

    # Ends

    def _see_out(self) -> None:
        """Withdraw what is not to be played any more; pass on what was changed meanwhile."""
        playing = self._now_playing()
        with self.database.reading() as session:
            query = sql.select(EventRow.id, EventRow.contest_id, EventRow.kind).where(
                EventRow.id.in_(list(playing.values()))
            )
            states = {row.id: row for row in session.execute(query)}
            running = set(
                session.scalars(sql.select(EventRow.id).where(EventRow.state == events.RUNNING))
            )
        for contest_id, event_id in playing.items():
            if event_id not in running:
                self._withdraw(contest_id)
            elif states[event_id].kind != events.LADDER:
                self._reconcile(event_id, Store(self.database.engine, contest_id, private=True))

    def _withdraw(self, contest_id: int) -> None:
        with self._lock:
            if contest_id not in self.playing:
                return  # it has left by itself meanwhile
            self._leaving.add(contest_id)
        self.hall.withdraw(contest_id)

    def ended(self, store: Store, error: Exception | None) -> None:
        """A contest has left the hall; called in the hall's thread."""
        with self._lock:
            event_id = self.playing.pop(store.contest_id, None)
            leaving = store.contest_id in self._leaving
            self._leaving.discard(store.contest_id)
            if event_id is not None and not leaving:
                self._later[event_id] = time.monotonic() + AGAIN
        if event_id is None:
            return
        if leaving:
            self._left(event_id, store)
            return
        if error is not None and not isinstance(error, LudusError):
            traceback.print_exception(error, file=sys.stderr)
        try:
            self._close(event_id, error)
        except StoreTrouble:
            return  # it is still running as far as anybody knows, and will be let in again
        self.tell({"type": "event", "id": event_id})

    def _left(self, event_id: int, store: Store) -> None:
        """The last table of a ladder may have been written before its last bots left it."""
        with contextlib.suppress(StoreTrouble):
            playing = [t.entrant.name for t in store.takers() if not t.entrant.dropped]
            with self.database.writing() as session:
                ladders.keep_only(session, event_id, playing)
        self.tell({"type": "event", "id": event_id})

    def _close(self, event_id: int, error: Exception | None) -> None:
        with self.database.writing() as session:
            event = events.event_of(session, event_id)
            passing = isinstance(error, (LeaseLost, StoreTrouble)) or event.kind == events.LADDER
            if event.state != events.RUNNING or (error is not None and passing):
                return
            if error is None:
                event.state, event.ended = events.OVER, now()
            else:
                event.state, event.why = events.STOPPED, words_of(error)
            if event.kind != events.LADDER:
                people, text = lifecycle.concerned(session, event), lifecycle.ended_words(event)
                notices.tell(session, people, event.kind, text, lifecycle.link(event))


def words_of(error: Exception) -> dict[str, str]:
    if isinstance(error, LudusError):
        return dict(error.text)
    said = f"{type(error).__name__}: {error}"
    return {"en": f"it cannot go on: {said}", "zh": f"无法继续：{said}"}
