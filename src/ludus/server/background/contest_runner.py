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

from ludus.bots.resolve import BotSource, resolve_house_bot
from ludus.contest.ladder_ledger import LadderLedger
from ludus.contest.model import Entrant
from ludus.errors import LudusError
from ludus.games.registry import get_listed
from ludus.match.bot_check.trials import choose_rival
from ludus.sandbox.fault import PlatformFault
from ludus.scheduling.database import DatabaseUnavailable
from ludus.scheduling.lease import AlreadyRunning, LeaseLost
from ludus.scheduling.multi_scheduler import MultiScheduler
from ludus.scheduling.scheduler import ContestProgress, ProgressCallback
from ludus.scheduling.store import ContestStore, EntrantProgram
from ludus.server.accounts import notices
from ludus.server.admin import overview, site_settings
from ludus.server.bots.version_files import VersionFiles
from ludus.server.contests import events, ladders, lifecycle
from ludus.server.contests.ladders import LadderRatingWriter
from ludus.server.database import Database
from ludus.server.tables import EntryRow, EventRow
from ludus.server.timestamps import now

MAX_RUNNING_CONTESTS = 24
"""Events that are played at once; the others wait, oldest first."""
RETRY_DELAY_S = 5.0
"""Seconds until an event that could not be begun is tried again."""

CLEANUP_INTERVAL_S = 3600.0
"""Seconds between two times of throwing away what is old."""

SendMessage = Callable[[dict[str, Any]], None]


class ContestRunner:
    """One for each office. ``advance`` is called now and then, and when somebody rings.

    Contests come in by ``advance`` and leave in the hall's thread, which calls
    ``on_contest_ended``: what both change is changed under ``_lock``.
    """

    def __init__(
        self,
        database: Database,
        locker: VersionFiles,
        hall: MultiScheduler,
        tell: SendMessage,
        *,
        allow_plain: bool = False,
    ) -> None:
        self._allow_plain = allow_plain
        self.database, self.version_files, self.multi_scheduler, self.send_message = (
            database,
            locker,
            hall,
            tell,
        )
        self._lock = threading.Lock()
        self.running: dict[int, int] = {}
        """Contest → event, of those that are in the hall."""
        self.bouts_played = 0
        self._withdrawn: set[int] = set()
        self._arranged: dict[str, tuple[Any, ...]] = {}
        """By game what its ladder was last arranged for."""
        self._rating_writers: dict[int, LadderRatingWriter] = {}
        self._next_cleanup = time.monotonic() + CLEANUP_INTERVAL_S
        self._retry_at: dict[int, float] = {}
        """Events that wait until they are tried again."""

    def advance(self) -> None:
        """Bring everything up to date with the database."""
        self._advance_states()
        self._update_ladders()
        self._start_due()
        self._stop_withdrawn()
        if time.monotonic() >= self._next_cleanup:
            self._next_cleanup = time.monotonic() + CLEANUP_INTERVAL_S
            with self.database.writing() as session:
                overview.delete_old_outputs(
                    session, site_settings.read_settings(session).outputs_days
                )

    # Times

    def _advance_states(self) -> None:
        with self.database.reading() as session:
            due = lifecycle.list_due(session)
        for event_id in due:
            with self.database.writing() as session:
                lifecycle.advance_if_due(session, events.get_event(session, event_id))
            self.send_message({"type": "event", "id": event_id})

    # Ladders

    def _update_ladders(self) -> None:
        with self.database.reading() as session:
            wanted = ladders.list_candidates_by_game(session)
            house = site_settings.read_settings(session)
            known = {e.game for e in self._ladders(session)}
        for game in sorted({*wanted, *known}):
            on = house.ladders.get(game, True)
            now_wanted = wanted.get(game, ()) if on else ()
            terms = events.ladder_settings(game, house)
            state = (now_wanted, tuple(house.ladder_house.get(game, ())), terms)
            if state != self._arranged.get(game) and self._update_ladder_entrants(game, house, on):
                self._arranged[game] = state

    def _ladders(self, session: Session) -> list[EventRow]:
        return list(session.scalars(sql.select(EventRow).where(EventRow.kind == events.LADDER)))

    def _update_ladder_entrants(
        self, game: str, house: site_settings.SiteSettings, on: bool
    ) -> bool:
        """Let those play on a game's ladder who are put forward, and nobody else."""
        try:
            get_listed(game)
        except LudusError:
            return True
        event_id, store = self._open_ladder(game, house)
        with self.database.writing() as session:
            event = events.get_event(session, event_id)
            names = self._enter_candidates(session, event, house)
            event.state = events.RUNNING if names and on else events.CLOSED
            ladders.remove_other_ratings(session, event_id, names)
        takers = {taker.entrant.name: taker.entrant for taker in store.load_entrants()}
        fresh = [name for name in names if name not in takers]
        store.add_entrants([self._make_entrant_program(name, names[name]) for name in fresh])
        for name in names:
            if name in takers and takers[name].dropped:
                store.rejoin_entrant(name, 1)
        for name, entrant in takers.items():
            if name not in names and not entrant.dropped:
                store.drop_entrant(name, 1)
        self.send_message({"type": "event", "id": event_id})
        return True

    def _open_ladder(
        self, game: str, house: site_settings.SiteSettings
    ) -> tuple[int, ContestStore]:
        with self.database.writing() as session:
            settings = events.ladder_settings(game, house)
            event = events.find_ladder(session, game)
            if event is not None and not events.same_terms(event.settings, settings):
                event.state, event.ended = events.OVER, now()
                event = None
            settings["seed"] = events.ladder_seed(event)
            if event is None:
                event = events.create_event(session, events.LADDER, game, settings)
            event.settings = settings
            event_id, whole = event.id, events.parse_settings(event)
        store = self._open_store(event_id)
        if store.settings() != whole:
            store.change_settings(whole)
        return event_id, store

    def _enter_candidates(
        self, session: Session, event: EventRow, rules_: site_settings.SiteSettings
    ) -> dict[str, EntryRow]:
        """The entries of those who are put forward, and of the house bots if there are any."""
        known = {entry.entrant: entry for entry in events.list_entries(session, event.id)}
        by_version = {entry.version_id: entry for entry in known.values() if entry.version_id}
        chosen = ladders.list_candidates(session, event.game)
        taken = set(known)
        found = []
        for bot, version in chosen:
            entry = by_version.get(version.id)
            found.append(entry or events.enter_version(session, event, version, bot, taken))
        if chosen:
            known_house = list(get_listed(event.game).bots())
            for house in rules_.ladder_house.get(
                event.game, ladders.choose_default_house_bots(known_house)
            ):
                if house not in known_house:
                    continue
                entry = known.get(house)
                found.append(entry or events.enter_house(session, event, house, taken))
        session.flush()
        return {entry.entrant: entry for entry in found}

    # Contests in the hall

    def _open_store(self, event_id: int) -> ContestStore:
        """The contest of an event, begun if it has not been."""
        with self.database.reading() as session:
            event = events.get_event(session, event_id)
            contest_id, settings = event.contest_id, ladders.make_play_settings(session, event)
            entries = [e for e in events.list_entries(session, event_id) if not e.dropped]
        engine = self.database.engine
        if contest_id is not None:
            return ContestStore(engine, contest_id, private=True)
        store = ContestStore.open(
            engine, settings.name
        )  # begun by an office that was killed meanwhile
        if store is None:
            store = ContestStore.create(engine, settings, private=True)
        store.private = True
        known = {taker.entrant.name for taker in store.load_entrants()}
        store.add_entrants(
            [self._make_entrant_program(e.entrant, e) for e in entries if e.entrant not in known]
        )
        with self.database.writing() as session:
            events.get_event(session, event_id).contest_id = store.contest_id
        return store

    def _make_entrant_program(self, name: str, entry: EntryRow) -> EntrantProgram:
        bot = entry.house or f"version {entry.version_id}"
        return EntrantProgram(Entrant(name, seed=entry.seed), bot, "")

    def _copy_running(self) -> dict[int, int]:
        with self._lock:
            return dict(self.running)

    def _start_due(self) -> None:
        playing = list(self._copy_running().values())
        with self.database.reading() as session:
            query = sql.select(EventRow.id, EventRow.kind).where(
                EventRow.state == events.RUNNING, EventRow.id.not_in(playing)
            )
            waiting = list(session.execute(query.order_by(EventRow.id)))
        ladder_first = sorted(waiting, key=lambda row: (row.kind != events.LADDER, row.id))
        for event_id, _ in ladder_first:
            if len(self.running) >= MAX_RUNNING_CONTESTS:
                return
            with self._lock:
                later = self._retry_at.get(event_id, 0.0)
            if time.monotonic() >= later:
                self._start_contest(event_id)

    def _start_contest(self, event_id: int) -> None:
        try:
            store = self._open_store(event_id)
            self._drop_disqualified(event_id, store)
            with self.database.reading() as session:
                event = events.get_event(session, event_id)
                kind, game = event.kind, event.game
                shown = not event.hidden and kind != events.TEST
            self._refuse_plain(store)
            with self._lock:
                self.running[store.contest_id] = event_id
            watch = self._make_progress_handler(event_id, kind, game)
            owners = functools.partial(self._owners, event_id)
            self.multi_scheduler.add_contest(
                store, self._make_source_loader(event_id), watch, shown=shown, owners=owners
            )
        except DatabaseUnavailable:
            raise
        except (LudusError, PlatformFault) as error:
            with self._lock:
                for contest_id in [c for c, e in self.running.items() if e == event_id]:
                    del self.running[contest_id]
                self._retry_at[event_id] = time.monotonic() + RETRY_DELAY_S
            if isinstance(error, LudusError):
                self._record_start_failure(event_id, error)
            else:  # no process could be started: that passes
                traceback.print_exception(error, file=sys.stderr)

    def _refuse_plain(self, store: ContestStore) -> None:
        """What was begun while plain jails were allowed does not go on when they are not."""
        if store.settings().jail == "plain" and not self._allow_plain:
            raise LudusError(
                "it was to be played in plain jails, and the server does not allow them now",
                "它要求在 plain 级沙箱中进行，而服务器现在不允许",
            )

    def _record_start_failure(self, event_id: int, error: LudusError) -> None:
        """Another office may be about to let go; a contest that cannot begin says why."""
        with self.database.writing() as session:
            event = events.get_event(session, event_id)
            if event.kind != events.LADDER and not isinstance(error, AlreadyRunning):
                event.state, event.why = events.STOPPED, dict(error.text)

    def _drop_disqualified(self, event_id: int, store: ContestStore) -> None:
        """Whoever was disqualified plays no more."""
        with self.database.reading() as session:
            event = events.get_event(session, event_id)
            if event.kind == events.LADDER:
                return
            gone = {e.entrant for e in events.list_entries(session, event_id) if e.dropped}
        for taker in store.load_entrants() if gone else ():
            if taker.entrant.name in gone and not taker.entrant.dropped:
                store.drop_entrant(taker.entrant.name, 1)

    def _make_source_loader(self, event_id: int) -> Callable[[], dict[str, BotSource]]:
        """The programs of everybody who plays."""

        def sources() -> dict[str, BotSource]:
            with self.database.reading() as session:
                event = events.get_event(session, event_id)
                game = get_listed(event.game)
                store = ContestStore(self.database.engine, event.contest_id or 0)
                entries = events.list_entries(session, event_id)
            playing = {t.entrant.name for t in store.load_entrants() if not t.entrant.dropped}
            found = {}
            for entry in entries:
                if entry.entrant not in playing:
                    continue
                if entry.house:
                    found[entry.entrant] = resolve_house_bot(entry.house, game)
                elif entry.version_id is not None:
                    source = self.version_files.source(entry.version_id, entry.entrant, game)
                    found[entry.entrant] = source
            return {name: dataclasses.replace(s, name=name) for name, s in found.items()}

        return sources

    def _owners(self, event_id: int) -> dict[str, frozenset[int]]:
        with self.database.reading() as session:
            return ladders.list_owners_by_entrant(session, event_id)

    def _make_progress_handler(self, event_id: int, kind: str, game: str) -> ProgressCallback:
        if kind == events.LADDER:
            chart = LadderRatingWriter(event_id, choose_rival(get_listed(game)) or "")
            self._rating_writers[event_id] = chart
            return lambda progress: self._report_ladder_progress(chart, progress)
        return lambda progress: self._report_progress(event_id, progress)

    def _report_progress(self, event_id: int, progress: ContestProgress) -> None:
        if progress.new_bouts:
            self.bouts_played += len(progress.new_bouts)
            self.send_message({"type": "event", "id": event_id})

    def _report_ladder_progress(self, chart: LadderRatingWriter, progress: ContestProgress) -> None:
        self._report_progress(chart.event_id, progress)
        chart.pending_changes += len(progress.new_bouts)
        chart.pending_changes += progress.ledger is not chart.ledger
        chart.ledger = progress.ledger
        assert isinstance(progress.ledger, LadderLedger)
        if chart.pending_changes and chart.is_due():
            with contextlib.suppress(DatabaseUnavailable):  # the next bouts will bring it up again
                with self.database.writing() as session:
                    chart.write(session, progress.ledger)
                chart.pending_changes = 0
                self.send_message({"type": "event", "id": chart.event_id})

    # Ends

    def _stop_withdrawn(self) -> None:
        """Withdraw what is not to be played any more; pass on what was changed meanwhile."""
        playing = self._copy_running()
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
                self._drop_disqualified(
                    event_id, ContestStore(self.database.engine, contest_id, private=True)
                )

    def _withdraw(self, contest_id: int) -> None:
        with self._lock:
            if contest_id not in self.running:
                return  # it has left by itself meanwhile
            self._withdrawn.add(contest_id)
        self.multi_scheduler.remove_contest(contest_id)

    def on_contest_ended(self, store: ContestStore, error: Exception | None) -> None:
        """A contest has left the hall; called in the hall's thread."""
        with self._lock:
            event_id = self.running.pop(store.contest_id, None)
            leaving = store.contest_id in self._withdrawn
            self._withdrawn.discard(store.contest_id)
            if event_id is not None and not leaving:
                self._retry_at[event_id] = time.monotonic() + RETRY_DELAY_S
        if event_id is None:
            return
        if leaving:
            self._finish_withdrawn(event_id, store)
            return
        if error is not None and not isinstance(error, LudusError):
            traceback.print_exception(error, file=sys.stderr)
        try:
            self._finish_contest(event_id, error)
        except DatabaseUnavailable:
            return  # it is still running as far as anybody knows, and will be let in again
        self.send_message({"type": "event", "id": event_id})

    def _finish_withdrawn(self, event_id: int, store: ContestStore) -> None:
        """The last table of a ladder may have been written before its last bots left it."""
        with contextlib.suppress(DatabaseUnavailable):
            playing = [t.entrant.name for t in store.load_entrants() if not t.entrant.dropped]
            with self.database.writing() as session:
                ladders.remove_other_ratings(session, event_id, playing)
        self.send_message({"type": "event", "id": event_id})

    def _finish_contest(self, event_id: int, error: Exception | None) -> None:
        with self.database.writing() as session:
            event = events.get_event(session, event_id)
            passing = (
                isinstance(error, (LeaseLost, DatabaseUnavailable)) or event.kind == events.LADDER
            )
            if event.state != events.RUNNING or (error is not None and passing):
                return
            if error is None:
                event.state, event.ended = events.OVER, now()
            else:
                event.state, event.why = events.STOPPED, describe_error(error)
            if event.kind != events.LADDER:
                people, text = (
                    lifecycle.list_recipients(session, event),
                    lifecycle.end_notice_text(event),
                )
                notices.add_notices(session, people, event.kind, text, lifecycle.event_path(event))


def describe_error(error: Exception) -> dict[str, str]:
    if isinstance(error, LudusError):
        return dict(error.text)
    said = f"{type(error).__name__}: {error}"
    return {"en": f"it cannot go on: {said}", "zh": f"无法继续：{said}"}
