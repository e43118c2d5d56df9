"""Matches of the page under way: played by workers, shown move by move."""

from __future__ import annotations

import dataclasses
import logging
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from ludus.errors import GameProgramFault, LudusError, PlatformFault
from ludus.games.rules_failure import RulesFailure
from ludus.match import record_files
from ludus.match.pool import EventStream, decode_event, make_match_task
from ludus.match.record import Record
from ludus.match.referee import BoutEvent, BoutStarted
from ludus.match.series import SeriesBout
from ludus.match.spec import MatchSpec
from ludus.server.error_schema import ErrorDetail
from ludus.server.live.bout_reporter import LiveBoutReporter
from ludus.server.live.event_replay import EventReplay
from ludus.server.live.film_schemas import MatchPlace
from ludus.server.live.live_bouts import LiveBout, LiveHub
from ludus.server.live.messages import ErrorMessage, NextMessage, encode_message
from ludus.server.web.traffic_limits import TrafficCaller
from ludus.workers.pool import LocalPool, TaskReport

log = logging.getLogger(__name__)

STOPPED_MESSAGE = ErrorDetail("stopped", "This match was stopped.", "本场已被中止。")
TOO_LONG_MESSAGE = ErrorDetail(
    "too_long", "This match lasted too long and was stopped.", "本场时间过长，已被中止。"
)
IDLE_WORKERS_S = 60.0
"""Seconds without a match after which the workers are stopped."""
SHUTDOWN_TIMEOUT_S = 10.0

SaveNamedRecord = Callable[[Record, str, Sequence[str]], str | None]
"""Saves a record under a name, with the notes of its seats, and gives its id."""


class RunningMatch:
    """One match, until it is over, stopped, or over its time limit."""

    def __init__(
        self,
        spec: MatchSpec,
        delay: float,
        hub: LiveHub,
        post: Callable[..., Any],
        save: SaveNamedRecord,
        owner: TrafficCaller,
        seconds: float,
    ) -> None:
        """``delay``: seconds between two moves, so that people can follow."""
        self.spec = dataclasses.replace(spec, watch=EventStream(delay))
        self.hub, self._post, self._save = hub, post, save
        self.owner, self._time_limit_s = owner, seconds
        self.key = secrets.token_urlsafe(12)
        """The secret with which anybody may stop the match."""
        self.id = f"match-{secrets.token_hex(4)}"
        self.live_bouts = [self._make_live_bout(number) for number in range(len(spec.bouts))]
        self.deadline = time.monotonic() + seconds
        self.stop_reason: ErrorDetail | None = None
        """Why the match is to be stopped; set before the thread that plays it notices."""
        self._current_bout = self.live_bouts[0]
        self._replay: Callable[[BoutEvent], None] = lambda event: None
        names = [source.name for source in spec.sources]
        stem = record_files.make_stem(spec.game, names)
        self._file_names = record_files.BoutFileNames(stem, len(spec.bouts))
        self._ended = threading.Event()

    def _make_live_bout(self, number: int) -> LiveBout:
        live_bout = LiveBout(self._film_id(number) or self.id, "live")
        live_bout.match = MatchPlace(
            id=self.id,
            number=number + 1,
            of=len(self.spec.bouts),
            previous=self._film_id(number - 1),
            next=self._film_id(number + 1),
        )
        return live_bout

    def _film_id(self, number: int) -> str | None:
        """The film id of one of the bouts; None if there is no such bout."""
        return f"{self.id}-{number + 1:02d}" if 0 <= number < len(self.spec.bouts) else None

    @property
    def over(self) -> bool:
        return self._ended.is_set()

    def join(self, seconds: float) -> None:
        """Wait until it is over."""
        self._ended.wait(seconds)

    # In the runner's thread

    def begin(self) -> None:
        """Start its time limit."""
        self.deadline = time.monotonic() + self._time_limit_s

    def handle_report(self, report: TaskReport) -> None:
        """Show what a worker reports; stop a match that cannot continue."""
        for number, event in report.events:
            self._show_event(number, decode_event(event))
        for played in report.results:
            self._save_bout(played)
        if report.failure is not None:
            self.break_off(self.explain_failure(report.failure))
        if report.over:
            self._ended.set()

    def _show_event(self, number: int, event: BoutEvent) -> None:
        if isinstance(event, BoutStarted):
            self._begin_bout(number)
        self._replay(event)

    def _begin_bout(self, number: int) -> None:
        live_bout = self.live_bouts[number]
        again = bool(live_bout.films)  # its worker was lost: another plays it from the start
        reporter = LiveBoutReporter(live_bout, self._post, kind="restart" if again else "film")
        self._current_bout, self._replay = live_bout, EventReplay(reporter)
        self._post(self.hub.add, live_bout)
        if number:
            self._post(
                self.live_bouts[number - 1].broadcast, encode_message(NextMessage(live_bout.id))
            )

    def _save_bout(self, played: SeriesBout) -> None:
        number = played.planned.number
        notes = [played.seat_notes(seat) for seat in range(len(played.record.bots))]
        if kept := self._save(played.record, self._file_names.for_bout(number), notes):
            self._post(self.live_bouts[number].mark_saved, kept)

    def break_off(self, why: ErrorDetail) -> None:
        """End the match and tell its watchers why."""
        self._post(self._remove_bout, self._current_bout, why)
        self._ended.set()

    def _remove_bout(self, live_bout: LiveBout, why: ErrorDetail) -> None:
        """Remove an unfinished bout from the list."""
        live_bout.ended_at = time.monotonic()
        live_bout.broadcast(encode_message(ErrorMessage(why)))
        self.hub.remove(live_bout)

    def explain_failure(self, failure: Exception) -> ErrorDetail:
        """The message for watchers; an internal error is also logged."""
        if isinstance(failure, RulesFailure):
            log.error("%s: %s", self.id, failure, exc_info=failure)
        if isinstance(failure, LudusError):
            return ErrorDetail.from_error(failure)
        log.error("%s cannot go on", self.id, exc_info=failure)
        if isinstance(failure, GameProgramFault):
            return ErrorDetail(failure.code, failure.text["en"], failure.text["zh"])
        return ErrorDetail(
            "internal_error",
            "the match cannot go on; the log of the server shows why",
            "比赛无法继续；原因见服务器的日志",
        )


class MatchRunner:
    """Plays matches on a pool of workers, in one thread that starts with the first match.

    The pool belongs to that thread; other threads queue what they want and wake it.
    """

    def __init__(self, places: int) -> None:
        """``places``: how many matches are played at once; others wait."""
        self._pool = LocalPool(places)
        self._lock = threading.Lock()
        self._waiting: list[RunningMatch] = []
        self._under_way: dict[str, RunningMatch] = {}
        self._closing = False
        self._thread: threading.Thread | None = None
        self._last_busy = time.monotonic()

    def play(self, match: RunningMatch) -> None:
        """Queue a match to be played; may be called from any thread."""
        with self._lock:
            self._waiting.append(match)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="matches", daemon=True)
                self._thread.start()
        self._pool.wake()

    def stop(self, match: RunningMatch, why: ErrorDetail = STOPPED_MESSAGE) -> None:
        """Stop a match, even while a bot is thinking; may be called from any thread."""
        match.stop_reason = match.stop_reason or why
        self._pool.wake()

    def close(self) -> None:
        """Stop all matches and the workers."""
        with self._lock:
            self._closing, thread = True, self._thread
        self._pool.wake()
        if thread is not None:
            thread.join(SHUTDOWN_TIMEOUT_S)

    def _run(self) -> None:
        with self._pool:
            while not self._closing:
                self._submit_waiting()
                for report in self._pool.wait(self._seconds_to_wait()):
                    self._handle_report(report)
                self._stop_matches(self._find_stopped())
            with self._lock:
                left, self._waiting = [*self._under_way.values(), *self._waiting], []
            self._stop_matches(left)

    def _submit_waiting(self) -> None:
        with self._lock:
            free = self._pool.free_slots
            begun, self._waiting = self._waiting[:free], self._waiting[free:]
        for match in begun:
            match.begin()
            try:
                self._pool.submit(match.id, make_match_task(match.spec, fresh=True))
                self._under_way[match.id] = match
            except PlatformFault as fault:
                match.break_off(match.explain_failure(fault))

    def _seconds_to_wait(self) -> float | None:
        """Until the next match is over its time limit; without matches, until idle workers are
        stopped."""
        now = time.monotonic()
        if self._under_way:
            self._last_busy = now
            return max(0.0, min(match.deadline for match in self._under_way.values()) - now)
        if (idle := now - self._last_busy) < IDLE_WORKERS_S:
            return IDLE_WORKERS_S - idle
        self._pool.stop_idle_workers()
        return None

    def _handle_report(self, report: TaskReport) -> None:
        match = self._under_way[str(report.key)]
        try:
            match.handle_report(report)
        except Exception as error:  # one match must not end the others
            match.stop_reason = match.explain_failure(error)
        if report.over:
            del self._under_way[match.id]

    def _find_stopped(self) -> list[RunningMatch]:
        now = time.monotonic()
        for match in self._under_way.values():
            if now > match.deadline:
                match.stop_reason = match.stop_reason or TOO_LONG_MESSAGE
        with self._lock:
            never_begun = [match for match in self._waiting if match.stop_reason is not None]
            self._waiting = [match for match in self._waiting if match.stop_reason is None]
        return [*never_begun, *(m for m in self._under_way.values() if m.stop_reason is not None)]

    def _stop_matches(self, matches: list[RunningMatch]) -> None:
        if not matches:
            return
        self._pool.cancel([match.id for match in matches])
        for match in matches:
            self._under_way.pop(match.id, None)
            match.break_off(match.stop_reason or STOPPED_MESSAGE)
