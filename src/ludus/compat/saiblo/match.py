"""One match: a logic, its players, one thread and one poll loop.

The judger passes messages on, times the rounds and reports to the logic what goes wrong with the
players; what that means for the match is the logic's business. A logic that fails ends the match.

A tour of the classes that a match is made of:

- ``Loop`` polls all pipes and sockets and calls the handler of each that is ready. Everything below
  happens inside such a handler, in one thread, so nothing here needs a lock, and no handler waits.
- ``LogicConnection`` is the logic's process; it calls ``JudgedMatch._on_logic_frame``.
- ``JudgerSeat`` and its subclasses are the players; they call ``on_answer`` and ``on_error``.
- ``EarlyAnswers`` keeps answers that come before the logic listens to their seat.
- ``MatchTimers`` knows when a round, the logic's patience or the match is over.

``MatchPhase`` says where a match stands.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

from ludus.compat.saiblo import messages
from ludus.compat.saiblo.early_answers import EarlyAnswers
from ludus.compat.saiblo.frames import TO_JUDGER
from ludus.compat.saiblo.logic_connection import LogicConnection
from ludus.compat.saiblo.logic_error import LogicError, send_error, target_error
from ludus.compat.saiblo.loop import Loop
from ludus.compat.saiblo.match_phase import MatchPhase
from ludus.compat.saiblo.messages import (
    EndMessage,
    EndStateRequest,
    LimitsMessage,
    Message,
    RoundMessage,
    SpectatorMessage,
    answer_message,
    read_message,
)
from ludus.compat.saiblo.observers import SpectatorFeed, Tap
from ludus.compat.saiblo.report import ENDED_BY_LOGIC, JudgerReport
from ludus.compat.saiblo.seat import TIMED_OUT, JudgerSeat
from ludus.compat.saiblo.settings import JudgerSettings
from ludus.compat.saiblo.timers import MatchTimers
from ludus.compat.saiblo.versions import AiErrorKind
from ludus.lang import Text
from ludus.sandbox import Program

MAX_NOTES = 20
"""How many notes a report has at most."""
EXIT_GRACE_S = 1.0
"""Seconds from the end message to SIGTERM, and from there to SIGKILL."""


class JudgedMatch:
    """One match under way."""

    def __init__(
        self,
        loop: Loop,
        seats: Sequence[JudgerSeat],
        settings: JudgerSettings,
        *,
        tap: Tap | None = None,
        spectators: SpectatorFeed | None = None,
    ) -> None:
        self.loop, self.seats, self.settings = loop, seats, settings
        self.version = settings.version
        self.phase = MatchPhase.STARTING
        self.over = False
        """Whether the phase is ENDED or FAILED."""
        self.length = settings.length
        """Bytes that an AI's answer may have."""
        self.round_state = 0
        """The ``state`` of the last round message."""
        self.last_state = 0
        """The ``state`` of the last message that had one, limits (0) included."""
        self.rounds = 0
        self.listened_seats: dict[int, None] = {}
        self.notes: list[Text] = []
        self._tap, self._spectators = tap, spectators
        self._seats_wanting_notice = [seat for seat in seats if seat.wants_listen_notice]
        self._logic: LogicConnection | None = None
        self._timers = MatchTimers(settings.time, settings.silence, settings.match_time)
        self._early = EarlyAnswers(settings.early or settings.version.early, len(seats))
        self._answered: set[int] = set()
        """Seats that have answered in this round."""
        self._players_paused = False
        """Whether no player is read, because the logic has to catch up."""
        self._next_spectator_tick = 0.0 if spectators else math.inf
        self._end_message: EndMessage | None = None
        self._failure: LogicError | None = None

    def run(self, logic: Program | None, replay: str) -> JudgerReport:
        """Judge the match to its end. ``replay`` is the path that the logic is told."""
        try:
            self._start(logic, replay)
            while not self.over:
                self._run_once()
            self._stop_programs()
            return self._build_report()
        finally:
            for seat in self.seats:
                seat.close()
            if self._logic is not None:
                self._logic.process.kill()

    def _run_once(self) -> None:
        """Handle what has happened, or wait for something to happen.

        The timers are not a handler of the loop: the loop waits at most until the next timer is
        due, and if that moment has passed, the timers are looked at first. So a timer is at most
        one round of handlers late, however many messages arrive.
        """
        left = self._timers.next_check - time.monotonic()
        if left <= 0:
            self._check_timers()
        else:
            self.loop.run_once(left)
        if self.phase is MatchPhase.COLLECTING_VERDICTS:
            self._send_end_state()

    # Changes of the phase

    def _start(self, program: Program | None, replay: str) -> None:
        settings = self.settings
        try:
            self._logic = LogicConnection(
                self.loop,
                program,
                settings.logic_limits,
                settings.jail_level,
                on_frame=self._on_logic_frame,
                on_failure=self._fail,
                on_drained=lambda: self._set_players_paused(False),
            )
        except LogicError as error:
            self._fail(error)
            return
        self.phase = MatchPhase.PLAYING
        self._timers.start_match()
        kinds = [seat.kind for seat in self.seats]
        self._send_to_logic(messages.init_message(self.version, kinds, replay, settings.config))
        for number, seat in enumerate(self.seats):
            seat.join(number, self)

    def _end(self, message: EndMessage) -> None:
        self._end_message = message
        self._finish(MatchPhase.ENDED)

    def _fail(self, error: LogicError) -> None:
        """Only the first failure counts, and none after the end message."""
        if not self.over:
            self._failure = error
            self._finish(MatchPhase.FAILED)

    def _finish(self, phase: MatchPhase) -> None:
        self.phase, self.over = phase, True
        if self._logic is not None:
            self._logic.ignore_output()

    # Messages of the logic

    def _on_logic_frame(self, target: int, body: bytes) -> None:
        if self._tap is not None:
            self._tap("L>J", body, target)
        try:
            if target == TO_JUDGER:
                self._handle_message(read_message(body, self.version, len(self.seats)))
            elif 0 <= target < len(self.seats):
                self._send_to_seat(target, body)
            else:
                raise target_error(target)
        except LogicError as error:
            if not self.version.ignores_malformed_messages:
                raise
            self._add_note(error.why)

    def _handle_message(self, message: Message) -> None:
        if type(message) is RoundMessage:
            self._handle_round(message)
        elif type(message) is LimitsMessage:
            self._apply_limits(message)
        elif type(message) is EndMessage:
            self._end(message)
        elif type(message) is SpectatorMessage:
            if self._spectators is not None:
                self._spectators.show(message.text)
        elif type(message) is EndStateRequest:
            self.phase = MatchPhase.COLLECTING_VERDICTS

    def _handle_round(self, message: RoundMessage) -> None:
        """Start or continue a round. The contents are delivered before early answers are passed on,
        as if those answers had arrived just now."""
        assert self._logic is not None
        now = self._logic.last_message_at
        if message.state != self.round_state:
            self.round_state = message.state
            self.rounds += 1
            self._answered.clear()
            self._timers.start_round(now)
        self.last_state = message.state
        self.listened_seats = dict.fromkeys(message.listen)
        if self.settings.freeze:
            for seat in self.seats:
                seat.set_frozen(seat.number not in self.listened_seats)
        if self.version.equal_lengths:
            for player, text in zip(message.player, message.content, strict=True):
                self._send_to_seat(player, text.encode())
        else:
            self._deliver_one_by_one(message)
        for seat in self._seats_wanting_notice:
            if seat.number in self.listened_seats:
                seat.on_listened(self._timers.round_began + self._timers.round_s - now)
        if self._early.held:
            self._forward_held()

    def _deliver_one_by_one(self, message: RoundMessage) -> None:
        """As the original did: what comes before a mistake is delivered."""
        for index, text in enumerate(message.content):
            if index >= len(message.player):
                raise send_error(
                    f"it sent {len(message.content)} contents to {index} players",
                    f"content 有 {len(message.content)} 项，player 只有 {index} 项",
                )
            messages.check_content(message.player[index], text, len(self.seats))
            self._send_to_seat(message.player[index], text.encode())

    def _send_to_seat(self, seat: int, data: bytes) -> None:
        if self._tap is not None:
            self._tap(f"J>A{seat}", data)
        self.seats[seat].send(data)

    def _apply_limits(self, message: LimitsMessage) -> None:
        if message.time is not None:
            self._timers.set_round_time(message.time)
        if message.length is not None:
            self.length = message.length
        self.last_state = 0

    def _add_note(self, note: Text) -> None:
        if len(self.notes) < MAX_NOTES:
            self.notes.append(note)

    # Messages of the players

    def on_answer(self, seat: int, body: bytes) -> None:
        """A player's answer: passed on, held or dropped."""
        if self._tap is not None:
            self._tap(f"A{seat}>J", body)
        try:
            text = body.decode()
        except UnicodeDecodeError:
            if self.version.requires_utf8:
                self.seats[seat].stop_reading()
                return
            text = body.decode(errors="replace")
        if seat in self.listened_seats or self._early.policy == "forward":
            self._forward(seat, text)
        elif self._early.policy == "hold":
            self._early.hold(seat, text)
            self._update_held(seat)
        elif not self.over:
            self._early.count_dropped(seat)

    def on_error(self, seat: int, error: AiErrorKind) -> None:
        """A player's error: reported whether the logic listens to the seat or not."""
        state = self.last_state if self.version.settings_are_state else self.round_state
        if message := messages.error_message(self.version, seat, state, error):
            self._send_to_logic(message)

    def _forward(self, seat: int, text: str) -> None:
        self._answered.add(seat)
        milliseconds = None
        if self.version.sends_elapsed_time:
            milliseconds = int(1000 * (time.monotonic() - self._timers.round_began))
        self._send_to_logic(answer_message(seat, text, milliseconds))

    def _forward_held(self) -> None:
        answers = self._early.take(self.listened_seats)
        for seat in {seat for seat, _ in answers}:
            self._update_held(seat)
        for seat, text in answers:
            self._forward(seat, text)

    def _send_to_logic(self, message: bytes) -> None:
        if self.over or self._logic is None:
            return
        if self._tap is not None:
            self._tap("J>L", message[4:])
        if self._logic.send(message):
            self._set_players_paused(True)

    def _set_players_paused(self, on: bool) -> None:
        """Stop reading from the players until the logic has read their answers, or go on."""
        if on != self._players_paused:
            self._players_paused = on
            for seat in range(len(self.seats)):
                self._update_held(seat)

    def _update_held(self, seat: int) -> None:
        self.seats[seat].set_held(self._players_paused or self._early.is_full(seat))

    # Time

    def _check_timers(self) -> None:
        """Do what is due, and find out when to look again."""
        assert self._logic is not None
        now = time.monotonic()
        if self._timers.stop_expired_round(now):
            self._report_timeout()
        if error := self._timers.find_expired(now, self._logic.last_message_at):
            self._fail(error)
        if self._spectators is not None and now >= self._next_spectator_tick:
            left = self._timers.round_left(now)
            self._next_spectator_tick = self._spectators.tick(now, tuple(self.listened_seats), left)
        self._timers.schedule_check(now, self._logic.last_message_at, self._next_spectator_tick)

    def _report_timeout(self) -> None:
        """The round's time is over: reported once, until the state changes.

        All seats that are listened to are named, whether they have answered or not: the logic may
        want several answers of one seat, so only it knows who is late. The verdict in the judger's
        own report is given to those that have not answered at all.
        """
        listened = [seat for seat in self.listened_seats if 0 <= seat < len(self.seats)]
        for seat in listened:
            if not self.seats[seat].has_left() and seat not in self._answered:
                self.seats[seat].record_fault(TIMED_OUT)
        if self.version.timeouts_name_seats:
            for seat in listened:
                self.on_error(seat, AiErrorKind.TIMEOUT)
        else:
            self.on_error(self.round_state, AiErrorKind.TIMEOUT)

    # The end

    def _send_end_state(self) -> None:
        self.phase = MatchPhase.PLAYING
        for seat in self.seats:
            seat.shut_down()
        self._wait_while(lambda: any(seat.is_running for seat in self.seats), EXIT_GRACE_S)
        for seat in self.seats:
            seat.close()
        self._send_to_logic(messages.end_state_message([seat.verdict for seat in self.seats]))

    def _stop_programs(self) -> None:
        """End the players, and give the logic a moment to finish before SIGTERM and after it."""
        for seat in self.seats:
            seat.shut_down()
        if self._logic is None:
            return
        logic = self._logic.process
        if self.phase is MatchPhase.ENDED:
            logic.close_stdin()
            self._wait_while(lambda: logic.alive, EXIT_GRACE_S)
        logic.terminate()
        self._wait_while(
            lambda: logic.alive or any(seat.is_running for seat in self.seats), EXIT_GRACE_S
        )

    def _wait_while(self, condition: Callable[[], bool], seconds: float) -> None:
        until = time.monotonic() + seconds
        while condition() and (left := until - time.monotonic()) > 0:
            self.loop.run_once(left)

    def _build_report(self) -> JudgerReport:
        reason, why = ENDED_BY_LOGIC, Text("the logic ended the match", "逻辑结束了对局")
        scores, verdicts = None, [seat.verdict for seat in self.seats]
        if self._end_message is not None:
            try:
                scores = messages.parse_scores(self._end_message.end_info, len(self.seats))
            except LogicError as error:
                self._add_note(error.why)
            if self._end_message.end_state is not None:
                given = messages.parse_verdicts(self._end_message.end_state, len(self.seats))
                verdicts = given or verdicts
        for note in self._early.describe_dropped():
            self._add_note(note)
        if self._failure is not None:
            reason, why = self._failure.code.value, self._failure.why
        logic = self._logic.process if self._logic else None
        return JudgerReport(
            version=self.version.name,
            reason=reason,
            why=why,
            end_info=self._end_message.end_info if self._end_message else None,
            scores=scores,
            rounds=self.rounds,
            seconds=round(self._timers.match_seconds, 3),
            seats=[s.make_report(verdict) for s, verdict in zip(self.seats, verdicts, strict=True)],
            logic_exit_code=logic.exit_code if logic else None,
            logic_stderr=logic.read_stderr() if logic else "",
            notes=self.notes,
        )
