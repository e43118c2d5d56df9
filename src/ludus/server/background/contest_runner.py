"""Starts and stops contests as the database says, and keeps ladders up to date."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import logging
import threading
import time
from collections.abc import Callable
from typing import Any

import sqlalchemy as sql

from ludus.bots.resolve import BotSource, resolve_house_bot
from ludus.contest.ladder_ledger import LadderLedger
from ludus.errors import LudusError, PlatformFault
from ludus.games.registry import get_listed
from ludus.lang import Text
from ludus.match.bot_check.trials import choose_rival
from ludus.match.note_files import delete_old_notes
from ludus.match.record_files import records_folder
from ludus.scheduling import contest_rows
from ludus.scheduling.bout_events import BoutEventSink
from ludus.scheduling.contest_store import ContestStore
from ludus.scheduling.database import DatabaseUnavailable
from ludus.scheduling.lease import AlreadyRunning, LeaseLost
from ludus.scheduling.ledger_loading import LedgerReader
from ludus.scheduling.multi_scheduler import MultiScheduler
from ludus.scheduling.scheduler import ContestProgress, ProgressCallback
from ludus.scheduling.schema import ContestRow
from ludus.scheduling.schema.contests import (
    GRADING,
    LADDER,
    LOCAL,
    OVER,
    RUNNING,
    STOPPED,
    TEST,
)
from ludus.server.accounts import notices
from ludus.server.admin import overview, site_settings
from ludus.server.bots.version_files import VersionFiles
from ludus.server.contests import (
    contest_access,
    contest_start,
    ladder_models,
    ladder_settings,
    ladders,
    lifecycle,
)
from ludus.server.contests.entrants import list_owners_by_entrant
from ludus.server.contests.ladder_entrants import update_ladder
from ludus.server.contests.ladders import LadderRatingWriter
from ludus.server.courses import grading_notices, gradings
from ludus.server.database import Database
from ludus.timestamps import now

log = logging.getLogger(__name__)

MAX_RUNNING_CONTESTS = 24
"""Contests that are played at once; others wait, oldest first."""
MAX_RUNNING_GRADINGS = 12
"""Gradings among them: a class that submits at once must not keep all others waiting."""
RETRY_DELAY_S = 5.0
"""Seconds until a contest that failed to start is tried again."""

CLEANUP_INTERVAL_S = 3600.0
"""Seconds between two clean-ups of old data."""

SendMessage = Callable[[dict[str, Any]], None]


class ContestRunner:
    """Runs the server's contests. Call ``advance`` regularly, and when something has changed.

    ``advance`` starts contests; they end in the scheduler's thread, which calls
    ``on_contest_ended``. Both change shared state only under ``_lock``.
    """

    def __init__(
        self,
        database: Database,
        version_files: VersionFiles,
        multi_scheduler: MultiScheduler,
        send_message: SendMessage,
        *,
        bout_events: BoutEventSink | None = None,
        allow_plain: bool = False,
    ) -> None:
        """``bout_events``: receives the events of bouts, for live films."""
        self._allow_plain = allow_plain
        self.database, self.version_files = database, version_files
        self.multi_scheduler, self.send_message = multi_scheduler, send_message
        self._bout_events = bout_events
        self._lock = threading.Lock()
        self.running: set[int] = set()
        """Contests that are scheduled now."""
        self.bouts_played = 0
        self._withdrawn: set[int] = set()
        self._ladder_inputs: dict[str, tuple[Any, ...]] = {}
        """By game: the inputs of its ladder's last update."""
        self._rating_writers: dict[int, LadderRatingWriter] = {}
        self._next_cleanup = time.monotonic() + CLEANUP_INTERVAL_S
        self._retry_at: dict[int, float] = {}
        """When to retry contests that failed to start."""
        self._has_resumed = False

    def advance(self) -> None:
        """Bring everything up to date with the database."""
        if not self._has_resumed:
            self._resume_undecided()
            self._has_resumed = True
        self._advance_states()
        self._update_ladders()
        self._plan_gradings()
        self._start_due()
        self._stop_withdrawn()
        if time.monotonic() >= self._next_cleanup:
            self._next_cleanup = time.monotonic() + CLEANUP_INTERVAL_S
            self._delete_old_outputs()

    def _delete_old_outputs(self) -> None:
        with self.database.writing() as session:
            days = site_settings.read_settings(session).outputs_days
            overview.delete_old_outputs(session, days)
        if days:
            delete_old_notes(records_folder(), time.time() - days * 24 * 3600)

    def _report_change(self, contest_id: int) -> None:
        self.send_message({"type": "contest", "id": contest_id})

    # Times

    def _advance_states(self) -> None:
        with self.database.reading() as session:
            due = lifecycle.list_due(session)
        for contest_id in due:
            with self.database.writing() as session:
                lifecycle.advance_if_due(session, contest_access.get_contest(session, contest_id))
            self._report_change(contest_id)

    def _resume_undecided(self) -> None:
        """Go on with contests that ended when bouts of the disqualified still counted, and in which
        there are matches to play since they do not."""
        with self.database.reading() as session:
            ended = lifecycle.list_ended_with_disqualified(session)
        for contest_id in filter(self._has_open_matches, ended):
            with self.database.writing() as session:
                contest_access.get_contest(session, contest_id).state = RUNNING
            self._report_change(contest_id)

    def _has_open_matches(self, contest_id: int) -> bool:
        store = ContestStore(self.database.engine, contest_id)
        try:
            return not LedgerReader(store).refresh().is_over
        except DatabaseUnavailable:
            raise
        except LudusError as error:
            log.warning("contest %d cannot be read: %s", contest_id, error)
            return False

    # Ladders

    def _update_ladders(self) -> None:
        with self.database.reading() as session:
            wanted = ladders.list_candidates_by_game(session)
            site = site_settings.read_settings(session)
            known = set(session.scalars(_select_ladder_games()))
        for game in sorted({*wanted, *known}):
            on = site.ladders.get(game, True)
            terms = ladder_settings.make_ladder_settings(game, site)
            house = tuple(site.ladder_house.get(game, ()))
            models = ladder_models.list_available(game, site) if on else ()
            state = (on, wanted.get(game, ()), house, models, terms)
            if state == self._ladder_inputs.get(game):
                continue
            try:
                get_listed(game)
            except LudusError:  # the game is not installed any more: its ladder pauses
                pass
            else:
                with self.database.writing() as session:
                    contest_id = update_ladder(session, game, site).id
                self._report_change(contest_id)
            self._ladder_inputs[game] = state

    # Gradings

    def _plan_gradings(self) -> None:
        """Plan the bouts of submissions whose check has ended."""
        with self.database.reading() as session:
            due = gradings.list_due(session)
        for submission_id in due:
            with self.database.writing() as session:
                gradings.plan_submission(session, submission_id)
        with self.database.reading() as session:
            closed = gradings.list_without_places(session)
        for assignment_id in closed:
            with self.database.writing() as session:
                gradings.fix_ladder_places(session, assignment_id)

    # Starts

    def _copy_running(self) -> set[int]:
        with self._lock:
            return set(self.running)

    def _start_due(self) -> None:
        with self.database.reading() as session:
            query = sql.select(ContestRow.id, ContestRow.kind).where(
                ContestRow.state == RUNNING,
                ContestRow.kind != LOCAL,
                ContestRow.id.not_in(self._copy_running()),
            )
            order = (ContestRow.kind != LADDER, ContestRow.kind == GRADING, ContestRow.id)
            waiting = [(row.id, row.kind) for row in session.execute(query.order_by(*order))]
            graded = sql.select(sql.func.count()).where(
                ContestRow.kind == GRADING, ContestRow.id.in_(self._copy_running())
            )
            free_gradings = MAX_RUNNING_GRADINGS - (session.scalar(graded) or 0)
        for contest_id, kind in waiting:
            if len(self.running) >= MAX_RUNNING_CONTESTS:
                return
            if kind == GRADING:
                if free_gradings <= 0:
                    return
                free_gradings -= 1
            with self._lock:
                later = self._retry_at.get(contest_id, 0.0)
            if time.monotonic() >= later:
                self._start_contest(contest_id)

    def _start_contest(self, contest_id: int) -> None:
        try:
            with self.database.writing() as session:
                contest = contest_access.get_contest(session, contest_id)
                if contest.play_settings is None:  # left so by an older version of the server
                    contest_start.begin_contest(session, contest)
                kind, game = contest.kind, contest.game
                shown = not contest.hidden and kind not in (TEST, GRADING)
            store = ContestStore(self.database.engine, contest_id)
            self._refuse_plain(store)
            with self._lock:
                self.running.add(contest_id)
            self.multi_scheduler.add_contest(
                store,
                self._make_source_loader(contest_id),
                self._make_progress_handler(contest_id, kind, game),
                shown=shown,
                events=self._bout_events,
                owners=functools.partial(self._list_owners, contest_id),
                resting=functools.partial(self._list_resting, contest_id),
            )
        except DatabaseUnavailable:
            raise
        except (LudusError, PlatformFault) as error:
            with self._lock:
                self.running.discard(contest_id)
                self._retry_at[contest_id] = time.monotonic() + RETRY_DELAY_S
            if isinstance(error, LudusError):
                self._record_start_failure(contest_id, error)
            else:  # no process could be started: a temporary failure
                log.warning("contest %d cannot be started now", contest_id, exc_info=error)
        else:
            log.info("contest %d (%s of %s) is being played", contest_id, kind, game)

    def _refuse_plain(self, store: ContestStore) -> None:
        """Refuse to continue a contest in plain jails when the server does not allow them any
        more."""
        if store.settings().jail == "plain" and not self._allow_plain:
            raise LudusError(
                "it needs plain jails, which the server does not allow now",
                "它要求在 plain 级沙箱中进行，而服务器现在不允许",
            )

    def _record_start_failure(self, contest_id: int, error: LudusError) -> None:
        """Retry later if another process still holds the lease; otherwise stop the contest with the
        reason."""
        with self.database.writing() as session:
            contest = contest_access.get_contest(session, contest_id)
            if contest.kind != LADDER and not isinstance(error, AlreadyRunning):
                contest.state, contest.stop_reason = STOPPED, dict(error.text)

    def _make_source_loader(self, contest_id: int) -> Callable[[], dict[str, BotSource]]:
        """A function that gives the programs of all remaining entrants."""

        def sources() -> dict[str, BotSource]:
            with self.database.reading() as session:
                game = get_listed(contest_access.get_contest(session, contest_id).game)
                rows = contest_rows.list_entrants(session, contest_id)
            found = {}
            for entrant in rows:
                if entrant.dropped or not entrant.joined:
                    continue
                if ladder_models.is_model(entrant.house_bot):
                    found[entrant.name] = ladder_models.open_model(entrant.house_bot, game)
                elif entrant.house_bot:
                    found[entrant.name] = resolve_house_bot(entrant.house_bot, game)
                elif entrant.version_id is not None:
                    source = self.version_files.source(entrant.version_id, entrant.name, game)
                    found[entrant.name] = source
            return {name: dataclasses.replace(s, name=name) for name, s in found.items()}

        return sources

    def _list_owners(self, contest_id: int) -> dict[str, frozenset[int]]:
        with self.database.reading() as session:
            return list_owners_by_entrant(session, contest_id)

    def _list_resting(self, contest_id: int) -> frozenset[str]:
        with self.database.reading() as session:
            return ladder_models.list_resting(session, contest_id)

    def _make_progress_handler(self, contest_id: int, kind: str, game: str) -> ProgressCallback:
        if kind == LADDER:
            chart = LadderRatingWriter(contest_id, choose_rival(get_listed(game)) or "")
            self._rating_writers[contest_id] = chart
            return functools.partial(self._report_progress, contest_id, chart)
        return functools.partial(self._report_progress, contest_id, None)

    def _report_progress(
        self, contest_id: int, chart: LadderRatingWriter | None, progress: ContestProgress
    ) -> None:
        if progress.new_bouts:
            self.bouts_played += len(progress.new_bouts)
            self._report_change(contest_id)
        if chart is None:
            return
        chart.pending_changes += len(progress.new_bouts)
        chart.pending_changes += progress.ledger is not chart.ledger
        chart.ledger = progress.ledger
        assert isinstance(progress.ledger, LadderLedger)
        if chart.pending_changes and chart.is_due():
            with contextlib.suppress(DatabaseUnavailable):  # it is tried again after the next bouts
                with self.database.writing() as session:
                    chart.write(session, progress.ledger)
                chart.pending_changes = 0
                self._report_change(contest_id)

    # Ends

    def _stop_withdrawn(self) -> None:
        """Remove contests from the scheduler that must not go on."""
        query = sql.select(ContestRow.id).where(
            ContestRow.state == RUNNING, ContestRow.kind != LOCAL
        )
        with self.database.reading() as session:
            wanted = set(session.scalars(query))
        for contest_id in self._copy_running() - wanted:
            self._withdraw(contest_id)

    def _withdraw(self, contest_id: int) -> None:
        with self._lock:
            if contest_id not in self.running:
                return  # it has ended by itself meanwhile
            self._withdrawn.add(contest_id)
        self.multi_scheduler.remove_contest(contest_id)

    def on_contest_ended(self, store: ContestStore, error: Exception | None) -> None:
        """Handle the end of a contest; called in the scheduler's thread."""
        contest_id = store.contest_id
        with self._lock:
            known, leaving = contest_id in self.running, contest_id in self._withdrawn
            self.running.discard(contest_id)
            self._withdrawn.discard(contest_id)
            if known and not leaving:
                self._retry_at[contest_id] = time.monotonic() + RETRY_DELAY_S
        if not known:
            return
        if leaving:
            self._finish_withdrawn(store)
            return
        if error is not None and not isinstance(error, LudusError):
            log.error("contest %d cannot go on", contest_id, exc_info=error)
        else:
            log.info("contest %d has ended: %s", contest_id, error or "it is over")
        try:
            self._finish_contest(contest_id, error)
        except DatabaseUnavailable:
            return  # it still runs according to the database, so it is started again
        self._report_change(contest_id)

    def _finish_withdrawn(self, store: ContestStore) -> None:
        """Write the last table of a ladder again: bots may have left it since it was written."""
        with contextlib.suppress(DatabaseUnavailable):
            playing = [t.entrant.name for t in store.load_entrants() if not t.entrant.dropped]
            with self.database.writing() as session:
                ladders.remove_other_ratings(session, store.contest_id, playing)
        self._report_change(store.contest_id)

    def _finish_contest(self, contest_id: int, error: Exception | None) -> None:
        with self.database.writing() as session:
            contest = contest_access.get_contest(session, contest_id)
            passing = isinstance(error, (LeaseLost, DatabaseUnavailable)) or contest.kind == LADDER
            if contest.state != RUNNING or (error is not None and passing):
                return
            again = contest.ended_at is not None
            if error is None:
                if contest.kind == GRADING and not gradings.is_complete(session, contest):
                    return  # a rival was added at the last moment: it goes on
                contest.state, contest.ended_at = OVER, now()
            else:
                contest.state, contest.stop_reason = STOPPED, describe_error(error)
            if contest.kind == GRADING:
                grading_notices.notify_of_end(session, contest)
            elif contest.kind != LADDER:
                people, text = (
                    lifecycle.list_recipients(session, contest),
                    lifecycle.end_notice_text(contest, again=again),
                )
                notices.add_notices(
                    session, people, contest.kind, text, lifecycle.contest_path(contest)
                )


def describe_error(error: Exception) -> Text:
    if isinstance(error, LudusError):
        return error.text
    reason = f"{type(error).__name__}: {error}"
    return Text(f"it cannot go on: {reason}", f"无法继续：{reason}")


def _select_ladder_games() -> sql.Select[str]:
    return sql.select(ContestRow.game).where(ContestRow.kind == LADDER).distinct()
