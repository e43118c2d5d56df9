"""One match: a logic, its players, one thread and one poll loop.

The judger passes messages on, keeps the round's timer and tells the logic what goes wrong with the
players; what that means for the match is the logic's business. A logic that fails ends the match.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ludus.compat.saiblo import child, protocol
from ludus.compat.saiblo.child import PolledProcess
from ludus.compat.saiblo.loop import Loop
from ludus.compat.saiblo.protocol import (
    TO_JUDGER,
    V2,
    AiErrorKind,
    EarlyAnswerPolicy,
    EndMessage,
    EndStateRequest,
    LimitsMessage,
    LogicError,
    LogicFrameReader,
    Message,
    ProtocolVersion,
    RoundMessage,
    SpectatorMessage,
    answer_message,
    read_message,
)
from ludus.compat.saiblo.report import ENDED_BY_LOGIC, JudgerReport, SeatReport
from ludus.compat.saiblo.seat import TIMED_OUT, JudgerSeat
from ludus.lang import Text
from ludus.sandbox import JailLevel, Limits, Program, choose_level
from ludus.sandbox.fault import BotFault, FaultKind

MAX_BURST_BYTES, MAX_BURST_FRAMES = 64 << 20, 100_000
"""Bytes and frames that a logic may send without having been told anything in between."""
MAX_UNREAD_BYTES = 64 << 20
"""Bytes that may wait for a logic that does not read."""
MAX_HELD_ANSWER_BYTES = 1 << 20
"""Bytes of early messages after which an AI that is not listened to waits in its pipe."""
PAUSE_PLAYERS_UNREAD_BYTES = 1 << 20
"""Bytes that wait for the logic when the players have to wait too."""
EXIT_WAIT_S = 0.2
"""Seconds between a program's last word and its end."""
MAX_NOTES = 20
"""How many oddities are kept."""
EXIT_GRACE_S = 1.0
"""Seconds from the end message to SIGTERM, and from there to SIGKILL."""


@dataclass(frozen=True, slots=True)
class JudgerSettings:
    """What a match is judged by."""

    version: ProtocolVersion = V2
    early: EarlyAnswerPolicy | None = None
    """None: as is usual in the version."""
    time: float = 3.0
    """Seconds of a round, until the logic sets them."""
    length: int = 2048
    """Bytes of an AI's message, until the logic sets them."""
    freeze: bool = False
    """Whether AIs stand still while they are not listened to, from the first round on."""
    config: str | Mapping[str, Any] | None = None
    silence: float = 60.0
    """Seconds that the logic may take when it is its turn to say something."""
    match_time: float = math.inf
    """Seconds that the whole match may take."""
    level: JailLevel | None = None
    """Of the jails; None: the best there is."""
    ai_limits: Limits = field(default_factory=lambda: Limits(processes=16))
    logic_limits: Limits = field(default_factory=lambda: Limits(processes=16))

    @property
    def jail_level(self) -> JailLevel:
        return self.level or choose_level()


class Tap(Protocol):
    """Hears everything that is said at the table, as it is said."""

    def __call__(self, direction: str, body: bytes, target: int = TO_JUDGER) -> None:
        """``J>L``, ``L>J``, ``J>A0``, ``A0>J`` …; a body without its header."""


class SpectatorFeed(Protocol):
    """Where spectators sit."""

    def show(self, text: str) -> None:
        """What the logic says to them."""

    def tick(self, now: float, listened: Sequence[int], left: float | None) -> float:
        """Do what is due (``left``: seconds of the round); when to be called next."""


class JudgedMatch:
    """One match under way."""

    def __init__(
        self,
        loop: Loop,
        seats: Sequence[JudgerSeat],
        terms: JudgerSettings,
        *,
        tap: Tap | None = None,
        gallery: SpectatorFeed | None = None,
    ) -> None:
        self.loop, self.seats, self.terms = loop, seats, terms
        self.version = terms.version
        self.early = terms.early or terms.version.early
        self.time, self.length = terms.time, terms.length
        self.state = 0
        self.last_state = 0
        self.rounds = 0
        self.listened_seats: dict[int, None] = {}
        self.notes: list[Text] = []
        self._tap, self._gallery = tap, gallery
        self._seats_wanting_notice = [seat for seat in seats if seat.wants_listen_notice]
        self._reader = LogicFrameReader()
        self._logic: PolledProcess | None = None
        self._began = self._round_began = self._last_traffic_at = time.monotonic()
        self._round_timer_running = False
        self._answered: set[int] = set()
        self._held_answers: list[tuple[int, str]] = []
        self._held_bytes = [0] * len(seats)
        self._dropped_answers = [0] * len(seats)
        self._players_paused = False
        self._burst = self._burst_frames = 0
        self._next_timer_check = 0.0
        self._next_spectator_tick = 0.0 if gallery else math.inf
        self._end_state_requested = False
        self._end_message: EndMessage | None = None
        self._failure: LogicError | None = None
        self.over = False
        """The logic has ended the match, or failed."""

    def run(self, logic: Program | None, replay: str) -> JudgerReport:
        """Judge the match to its end. ``replay``: the path that the logic is told."""
        try:
            self._start(logic, replay)
            while not self.over:
                left = self._next_timer_check - time.monotonic()
                if left <= 0:
                    self._check_timers()
                else:
                    self.loop.run_once(left)
                if self._end_state_requested and not self.over:
                    self._send_end_state()
            self._stop_programs()
            return self._build_report()
        finally:
            for seat in self.seats:
                seat.close()
            if self._logic is not None:
                self._logic.kill()

    # Beginning

    def _start(self, logic: Program | None, replay: str) -> None:
        try:
            if logic is None:
                raise BotFault(FaultKind.LOAD, "there is no such program", "没有这个程序")
            jailed = child.start_program(logic, self.terms.logic_limits, self.terms.jail_level)
        except BotFault as fault:
            self._fail(LogicError("logic_start_error", fault.why["en"], fault.why["zh"]))
            return
        self._logic = PolledProcess(
            self.loop, jailed, MAX_UNREAD_BYTES, self._on_logic_output, self._on_logic_exit
        )
        self._logic.on_drained = lambda: self._set_players_paused(False)
        kinds = [seat.kind for seat in self.seats]
        self._began = time.monotonic()
        self._send_to_logic(protocol.init_message(self.version, kinds, replay, self.terms.config))
        for number, seat in enumerate(self.seats):
            seat.join(number, self)

    # What the logic says

    def _on_logic_output(self, data: bytes) -> None:
        if self.over:
            return
        self._last_traffic_at = time.monotonic()
        self._burst += len(data)
        try:
            if self._burst > MAX_BURST_BYTES or self._burst_frames > MAX_BURST_FRAMES:
                raise _flood_error()
            for target, body in self._reader.feed(data):
                self._burst_frames += 1
                self._on_logic_frame(target, body)
                if self.over:
                    return
        except LogicError as error:
            self._fail(error)

    def _on_logic_frame(self, target: int, body: bytes) -> None:
        if self._tap is not None:
            self._tap("L>J", body, target)
        try:
            if target == TO_JUDGER:
                self._handle_message(read_message(body, self.version, len(self.seats)))
            elif 0 <= target < len(self.seats):
                self._send_to_seat(target, body)
            else:
                raise _unknown_target_error(target)
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
            self._end_message = message
            self.over = True
        elif type(message) is SpectatorMessage:
            if self._gallery is not None:
                self._gallery.show(message.text)
        elif type(message) is EndStateRequest:
            self._end_state_requested = True

    def _handle_round(self, message: RoundMessage) -> None:
        if message.state != self.state:
            self.state = message.state
            self.rounds += 1
            self._answered.clear()
            self._round_began = self._last_traffic_at
            self._round_timer_running = True
            if self._last_traffic_at + self.time < self._next_timer_check:
                self._next_timer_check = self._last_traffic_at + self.time
        self.last_state = message.state
        self.listened_seats = dict.fromkeys(message.listen)
        if self.terms.freeze:
            for player in self.seats:
                player.set_frozen(player.number not in self.listened_seats)
        if self.version.equal_lengths:
            for seat, text in zip(message.player, message.content, strict=True):
                self._send_to_seat(seat, text.encode())
        else:
            self._deliver_one_by_one(message, len(self.seats))
        for player in self._seats_wanting_notice:
            if player.number in self.listened_seats:
                player.on_listened(self._round_began + self.time - self._last_traffic_at)
        if self._held_answers:
            self._forward_held()

    def _deliver_one_by_one(self, message: RoundMessage, seats: int) -> None:
        """As the original did: what comes before a mistake is delivered."""
        for index, text in enumerate(message.content):
            if index >= len(message.player):
                raise protocol.send_error(
                    f"it sent {len(message.content)} contents to {index} players",
                    f"content 有 {len(message.content)} 项，player 只有 {index} 项",
                )
            protocol.check_content(message.player[index], text, seats)
            self._send_to_seat(message.player[index], text.encode())

    def _send_to_seat(self, seat: int, data: bytes) -> None:
        if self._tap is not None:
            self._tap(f"J>A{seat}", data)
        self.seats[seat].send(data)

    def _apply_limits(self, message: LimitsMessage) -> None:
        if message.time is not None:
            self.time = message.time
            self._next_timer_check = 0.0  # look at the clocks again
        if message.length is not None:
            self.length = message.length
        self.last_state = 0

    def _fail(self, error: LogicError) -> None:
        if not self.over:
            self._failure = error
            self.over = True

    def _on_logic_exit(self) -> None:
        assert self._logic is not None
        self._logic.wait_for_exit(EXIT_WAIT_S)
        how = self._logic.describe_exit()
        cut = self._reader.buffer.size
        en, zh = how["en"], how["zh"]
        if cut:
            en, zh = f"{en} in the middle of a frame", f"{zh}，一帧只写了一部分"
        self._fail(LogicError("logic_run_error", en, zh))

    def _add_note(self, why: Text) -> None:
        if len(self.notes) < MAX_NOTES:
            self.notes.append(why)

    # What the players say

    def on_answer(self, seat: int, body: bytes) -> None:
        """A player's message: passed on, held or dropped."""
        if self._tap is not None:
            self._tap(f"A{seat}>J", body)
        try:
            text = body.decode()
        except UnicodeDecodeError:
            if self.version.requires_utf8:
                self.seats[seat].stop_reading()
                return
            text = body.decode(errors="replace")
        if seat in self.listened_seats or self.early == "forward":
            self._forward(seat, text)
        elif self.early == "hold":
            self._hold_answer(seat, text)
        elif not self.over:
            self._dropped_answers[seat] += 1

    def _forward(self, seat: int, text: str) -> None:
        self._answered.add(seat)
        milliseconds = None
        if self.version.sends_elapsed_time:
            milliseconds = int(1000 * (time.monotonic() - self._round_began))
        self._send_to_logic(answer_message(seat, text, milliseconds))

    def _hold_answer(self, seat: int, text: str) -> None:
        self._held_answers.append((seat, text))
        self._held_bytes[seat] += len(text) + 64
        self._update_held(seat)

    def _update_held(self, seat: int) -> None:
        self.seats[seat].set_held(
            self._players_paused or self._held_bytes[seat] > MAX_HELD_ANSWER_BYTES
        )

    def _set_players_paused(self, on: bool) -> None:
        """Let the players wait until the logic has read what they said, or hear them again."""
        if on != self._players_paused:
            self._players_paused = on
            for seat in range(len(self.seats)):
                self._update_held(seat)

    def _forward_held(self) -> None:
        """Pass on what the players said who are listened to now."""
        due = [early for early in self._held_answers if early[0] in self.listened_seats]
        self._held_answers = [
            early for early in self._held_answers if early[0] not in self.listened_seats
        ]
        for seat, text in due:
            if self._held_bytes[seat]:
                self._held_bytes[seat] = 0
                self._update_held(seat)
            self._forward(seat, text)

    def on_error(self, seat: int, trouble: AiErrorKind) -> None:
        """A player's trouble: the logic is told, whether it listens or not."""
        state = self.last_state if self.version.settings_are_state else self.state
        if message := protocol.error_message(self.version, seat, state, trouble):
            self._send_to_logic(message)

    def _send_to_logic(self, message: bytes) -> None:
        """Say something to the logic."""
        if self.over or self._logic is None:
            return
        if self._tap is not None:
            self._tap("J>L", message[4:])
        self._burst = self._burst_frames = 0
        self._last_traffic_at = time.monotonic()
        if not self._logic.send(message):
            self._fail(
                LogicError(
                    "logic_run_error",
                    f"it does not read: {MAX_UNREAD_BYTES >> 20} MB are waiting for it",
                    f"它不读取消息：已有 {MAX_UNREAD_BYTES >> 20} MB 在等待",
                )
            )
        elif self._logic.unread_bytes > PAUSE_PLAYERS_UNREAD_BYTES:
            self._set_players_paused(True)

    # Time

    def _check_timers(self) -> None:
        """Do what is due, and find out when to look again."""
        now = time.monotonic()
        round_ends = self._round_began + self.time if self._round_timer_running else math.inf
        if now >= round_ends:
            self._round_timer_running = False
            self._on_round_timeout()
            round_ends = math.inf
        quiet = (
            self._last_traffic_at
            if not self._round_timer_running
            else max(self._last_traffic_at, round_ends)
        )
        if now >= quiet + self.terms.silence:
            self._fail(_silence_error(self.terms.silence))
        match_ends = self._began + self.terms.match_time
        if now >= match_ends:
            self._fail(_match_timeout_error(self.terms.match_time))
        if self._gallery is not None and now >= self._next_spectator_tick:
            left = round_ends - now if self._round_timer_running else None
            self._next_spectator_tick = self._gallery.tick(now, tuple(self.listened_seats), left)
        self._next_timer_check = min(
            round_ends,
            quiet + self.terms.silence,
            match_ends,
            self._next_spectator_tick,
            now + 3600,
        )

    def _on_round_timeout(self) -> None:
        """The round's time is over: said once, until the state changes."""
        late = [seat for seat in self.listened_seats if 0 <= seat < len(self.seats)]
        for seat in late:
            if not self.seats[seat].has_left() and seat not in self._answered:
                self.seats[seat].record_fault(TIMED_OUT)
        if self.version.timeouts_name_seats:
            for seat in late:
                self.on_error(seat, AiErrorKind.TIMEOUT)
        else:
            self.on_error(self.state, AiErrorKind.TIMEOUT)

    # Ending

    def _send_end_state(self) -> None:
        self._end_state_requested = False
        for seat in self.seats:
            seat.shut_down()
        self._wait_while(lambda: any(seat.is_running for seat in self.seats), EXIT_GRACE_S)
        for seat in self.seats:
            seat.close()
        self._send_to_logic(protocol.end_state_message([seat.verdict for seat in self.seats]))

    def _stop_programs(self) -> None:
        """Let everybody go: a moment for the logic to finish, SIGTERM, another moment."""
        for seat in self.seats:
            seat.shut_down()
        logic = self._logic
        if logic is None:
            return
        if self._end_message is not None:
            logic.close_stdin()
            self._wait_while(lambda: logic.alive, EXIT_GRACE_S)
        logic.terminate()
        self._wait_while(
            lambda: logic.alive or any(seat.is_running for seat in self.seats), EXIT_GRACE_S
        )

    def _wait_while(self, running: Any, seconds: float) -> None:
        until = time.monotonic() + seconds
        while running() and (left := until - time.monotonic()) > 0:
            self.loop.run_once(left)

    def _build_report(self) -> JudgerReport:
        reason, why = ENDED_BY_LOGIC, {"en": "the logic ended the match", "zh": "逻辑结束了对局"}
        scores, verdicts = None, [seat.verdict for seat in self.seats]
        if self._end_message is not None:
            try:
                scores = protocol.parse_scores(self._end_message.end_info, len(self.seats))
            except LogicError as error:
                self._add_note(error.why)
            if self._end_message.end_state is not None:
                said = protocol.parse_verdicts(self._end_message.end_state, len(self.seats))
                verdicts = said or verdicts
        for seat, count in enumerate(self._dropped_answers):
            if count:
                self._add_note(_dropped_answers_note(seat, count))
        if self._failure is not None:
            reason, why = self._failure.name, dict(self._failure.why)
        logic = self._logic
        return JudgerReport(
            version=self.version.name,
            reason=reason,
            why=why,
            end_info=self._end_message.end_info if self._end_message else None,
            scores=scores,
            rounds=self.rounds,
            seconds=round(time.monotonic() - self._began, 3),
            seats=[
                SeatReport(
                    kind=seat.kind,
                    verdict=verdict,
                    exit_code=seat.exit_code,
                    cpu=round(seat.cpu, 6),
                    memory=seat.memory,
                    stderr=seat.read_stderr(),
                )
                for seat, verdict in zip(self.seats, verdicts, strict=True)
            ],
            logic_exit_code=logic.exit_code if logic else None,
            logic_stderr=logic.read_stderr() if logic else "",
            notes=self.notes,
        )


def _dropped_answers_note(seat: int, count: int) -> Text:
    return {
        "en": f"answers of seat {seat} that were dropped, for nobody listened to it yet: {count};"
        " --early hold would keep them",
        "zh": f"座位 {seat} 在未被监听时的回答已丢弃：{count} 条；--early hold 会保留它们",
    }


def _flood_error() -> LogicError:
    size = MAX_BURST_BYTES >> 20
    return LogicError(
        "logic_run_error",
        f"it sent more than {size} MB or {MAX_BURST_FRAMES} messages without waiting for an answer",
        f"它未等待任何回答就发送了超过 {size} MB 或 {MAX_BURST_FRAMES} 条消息",
    )


def _unknown_target_error(target: int) -> LogicError:
    return LogicError(
        "logic_goal_error",
        f"it sent a message to player {target}, who does not exist",
        f"它向不存在的玩家 {target} 发送消息",
    )


def _silence_error(seconds: float) -> LogicError:
    return LogicError(
        "logic_timeout_error",
        f"it said nothing for {seconds:g} s although it was its turn",
        f"轮到它时，它 {seconds:g} 秒没有任何消息",
    )


def _match_timeout_error(seconds: float) -> LogicError:
    return LogicError(
        "logic_timeout_error",
        f"the match took more than {seconds:g} s",
        f"对局超过了 {seconds:g} 秒",
    )
