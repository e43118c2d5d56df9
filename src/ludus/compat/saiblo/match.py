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
from ludus.compat.saiblo.child import Child
from ludus.compat.saiblo.loop import Loop
from ludus.compat.saiblo.protocol import (
    TO_JUDGER,
    V2,
    Early,
    End,
    EndStateRequest,
    LogicError,
    LogicReader,
    Message,
    Round,
    Settings,
    Trouble,
    Version,
    Watch,
    answer_message,
    read_message,
)
from ludus.compat.saiblo.report import ENDED, Report, SeatReport
from ludus.compat.saiblo.seat import LATE, Seat
from ludus.lang import Text
from ludus.sandbox import Level, Limits, Program, choose
from ludus.sandbox.fault import Fault, Kind

BURST, BURST_FRAMES = 64 << 20, 100_000
"""Bytes and frames that a logic may send without having been told anything in between."""
BACKLOG = 64 << 20
"""Bytes that may wait for a logic that does not read."""
HELD = 1 << 20
"""Bytes of early messages after which an AI that is not listened to waits in its pipe."""
CROWDED = 1 << 20
"""Bytes that wait for the logic when the players have to wait too."""
MOMENT = 0.2
"""Seconds between a program's last word and its end."""
NOTES = 20
"""How many oddities are kept."""
GRACE = 1.0
"""Seconds from the end message to SIGTERM, and from there to SIGKILL."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a match is judged by."""

    version: Version = V2
    early: Early | None = None
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
    level: Level | None = None
    """Of the jails; None: the best there is."""
    ai_limits: Limits = field(default_factory=lambda: Limits(processes=16))
    logic_limits: Limits = field(default_factory=lambda: Limits(processes=16))

    @property
    def jail(self) -> Level:
        return self.level or choose()


class Tap(Protocol):
    """Hears everything that is said at the table, as it is said."""

    def __call__(self, direction: str, body: bytes, target: int = TO_JUDGER) -> None:
        """``J>L``, ``L>J``, ``J>A0``, ``A0>J`` …; a body without its header."""


class Gallery(Protocol):
    """Where spectators sit."""

    def show(self, text: str) -> None:
        """What the logic says to them."""

    def tick(self, now: float, listened: Sequence[int], left: float | None) -> float:
        """Do what is due (``left``: seconds of the round); when to be called next."""


class Judger:
    """One match under way."""

    def __init__(
        self,
        loop: Loop,
        seats: Sequence[Seat],
        terms: Terms,
        *,
        tap: Tap | None = None,
        gallery: Gallery | None = None,
    ) -> None:
        self.loop, self.seats, self.terms = loop, seats, terms
        self.version = terms.version
        self.early = terms.early or terms.version.early
        self.time, self.length = terms.time, terms.length
        self.state = 0
        self.last_state = 0
        self.rounds = 0
        self.listen: dict[int, None] = {}
        self.notes: list[Text] = []
        self._tap, self._gallery = tap, gallery
        self._curious = [seat for seat in seats if seat.curious]
        self._reader = LogicReader()
        self._logic: Child | None = None
        self._began = self._round_began = self._spoke = time.monotonic()
        self._ticking = False
        self._answered: set[int] = set()
        self._held: list[tuple[int, str]] = []
        self._held_bytes = [0] * len(seats)
        self._dropped = [0] * len(seats)
        self._crowded = False
        self._burst = self._burst_frames = 0
        self._alarm = 0.0
        self._gallery_alarm = 0.0 if gallery else math.inf
        self._wants_end_state = False
        self._end: End | None = None
        self._failure: LogicError | None = None
        self.over = False
        """The logic has ended the match, or failed."""

    def run(self, logic: Program | None, replay: str) -> Report:
        """Judge the match to its end. ``replay``: the path that the logic is told."""
        try:
            self._start(logic, replay)
            while not self.over:
                left = self._alarm - time.monotonic()
                if left <= 0:
                    self._look_at_clocks()
                else:
                    self.loop.step(left)
                if self._wants_end_state and not self.over:
                    self._tell_end_state()
            self._farewell()
            return self._report()
        finally:
            for seat in self.seats:
                seat.close()
            if self._logic is not None:
                self._logic.kill()

    # Beginning

    def _start(self, logic: Program | None, replay: str) -> None:
        try:
            if logic is None:
                raise Fault(Kind.LOAD, "there is no such program", "没有这个程序")
            jailed = child.start(logic, self.terms.logic_limits, self.terms.jail)
        except Fault as fault:
            self._fail(LogicError("logic_start_error", fault.why["en"], fault.why["zh"]))
            return
        self._logic = Child(self.loop, jailed, BACKLOG, self._hear_logic, self._logic_gone)
        self._logic.drained = lambda: self._crowd(False)
        kinds = [seat.kind for seat in self.seats]
        self._began = time.monotonic()
        self._tell(protocol.init_message(self.version, kinds, replay, self.terms.config))
        for number, seat in enumerate(self.seats):
            seat.join(number, self)

    # What the logic says

    def _hear_logic(self, data: bytes) -> None:
        if self.over:
            return
        self._spoke = time.monotonic()
        self._burst += len(data)
        try:
            if self._burst > BURST or self._burst_frames > BURST_FRAMES:
                raise _flood()
            for target, body in self._reader.feed(data):
                self._burst_frames += 1
                self._logic_said(target, body)
                if self.over:
                    return
        except LogicError as error:
            self._fail(error)

    def _logic_said(self, target: int, body: bytes) -> None:
        if self._tap is not None:
            self._tap("L>J", body, target)
        try:
            if target == TO_JUDGER:
                self._obey(read_message(body, self.version, len(self.seats)))
            elif 0 <= target < len(self.seats):
                self._pass_on(target, body)
            else:
                raise _no_target(target)
        except LogicError as error:
            if not self.version.forgiving:
                raise
            self._note(error.why)

    def _obey(self, message: Message) -> None:
        if type(message) is Round:
            self._round(message)
        elif type(message) is Settings:
            self._set(message)
        elif type(message) is End:
            self._end = message
            self.over = True
        elif type(message) is Watch:
            if self._gallery is not None:
                self._gallery.show(message.text)
        elif type(message) is EndStateRequest:
            self._wants_end_state = True

    def _round(self, message: Round) -> None:
        if message.state != self.state:
            self.state = message.state
            self.rounds += 1
            self._answered.clear()
            self._round_began = self._spoke
            self._ticking = True
            if self._spoke + self.time < self._alarm:
                self._alarm = self._spoke + self.time
        self.last_state = message.state
        self.listen = dict.fromkeys(message.listen)
        if self.terms.freeze:
            for player in self.seats:
                player.freeze(player.number not in self.listen)
        if self.version.equal_lengths:
            for seat, text in zip(message.player, message.content, strict=True):
                self._pass_on(seat, text.encode())
        else:
            self._deliver_one_by_one(message, len(self.seats))
        for player in self._curious:
            if player.number in self.listen:
                player.listened(self._round_began + self.time - self._spoke)
        if self._held:
            self._release()

    def _deliver_one_by_one(self, message: Round, seats: int) -> None:
        """As the original did: what comes before a mistake is delivered."""
        for index, text in enumerate(message.content):
            if index >= len(message.player):
                raise protocol.unsendable(
                    f"it sent {len(message.content)} contents to {index} players",
                    f"content 有 {len(message.content)} 项，player 只有 {index} 项",
                )
            protocol.check_letter(message.player[index], text, seats)
            self._pass_on(message.player[index], text.encode())

    def _pass_on(self, seat: int, data: bytes) -> None:
        if self._tap is not None:
            self._tap(f"J>A{seat}", data)
        self.seats[seat].send(data)

    def _set(self, message: Settings) -> None:
        if message.time is not None:
            self.time = message.time
            self._alarm = 0.0  # look at the clocks again
        if message.length is not None:
            self.length = message.length
        self.last_state = 0

    def _fail(self, error: LogicError) -> None:
        if not self.over:
            self._failure = error
            self.over = True

    def _logic_gone(self) -> None:
        assert self._logic is not None
        self._logic.ends_within(MOMENT)
        how = self._logic.how_it_ended()
        cut = self._reader.pending.size
        en, zh = how["en"], how["zh"]
        if cut:
            en, zh = f"{en} in the middle of a frame", f"{zh}，一帧只写了一部分"
        self._fail(LogicError("logic_run_error", en, zh))

    def _note(self, why: Text) -> None:
        if len(self.notes) < NOTES:
            self.notes.append(why)

    # What the players say

    def answered(self, seat: int, body: bytes) -> None:
        """A player's message: passed on, held or dropped."""
        if self._tap is not None:
            self._tap(f"A{seat}>J", body)
        try:
            text = body.decode()
        except UnicodeDecodeError:
            if self.version.strict_text:
                self.seats[seat].deafen()
                return
            text = body.decode(errors="replace")
        if seat in self.listen or self.early == "forward":
            self._forward(seat, text)
        elif self.early == "hold":
            self._hold(seat, text)
        elif not self.over:
            self._dropped[seat] += 1

    def _forward(self, seat: int, text: str) -> None:
        self._answered.add(seat)
        milliseconds = None
        if self.version.tells_time:
            milliseconds = int(1000 * (time.monotonic() - self._round_began))
        self._tell(answer_message(seat, text, milliseconds))

    def _hold(self, seat: int, text: str) -> None:
        self._held.append((seat, text))
        self._held_bytes[seat] += len(text) + 64
        self._hush(seat)

    def _hush(self, seat: int) -> None:
        self.seats[seat].hold(self._crowded or self._held_bytes[seat] > HELD)

    def _crowd(self, on: bool) -> None:
        """Let the players wait until the logic has read what they said, or hear them again."""
        if on != self._crowded:
            self._crowded = on
            for seat in range(len(self.seats)):
                self._hush(seat)

    def _release(self) -> None:
        """Pass on what the players said who are listened to now."""
        due = [early for early in self._held if early[0] in self.listen]
        self._held = [early for early in self._held if early[0] not in self.listen]
        for seat, text in due:
            if self._held_bytes[seat]:
                self._held_bytes[seat] = 0
                self._hush(seat)
            self._forward(seat, text)

    def troubled(self, seat: int, trouble: Trouble) -> None:
        """A player's trouble: the logic is told, whether it listens or not."""
        state = self.last_state if self.version.settings_are_state else self.state
        if message := protocol.error_message(self.version, seat, state, trouble):
            self._tell(message)

    def _tell(self, message: bytes) -> None:
        """Say something to the logic."""
        if self.over or self._logic is None:
            return
        if self._tap is not None:
            self._tap("J>L", message[4:])
        self._burst = self._burst_frames = 0
        self._spoke = time.monotonic()
        if not self._logic.send(message):
            self._fail(
                LogicError(
                    "logic_run_error",
                    f"it does not read: {BACKLOG >> 20} MB are waiting for it",
                    f"它不读取消息：已有 {BACKLOG >> 20} MB 在等待",
                )
            )
        elif self._logic.unread > CROWDED:
            self._crowd(True)

    # Time

    def _look_at_clocks(self) -> None:
        """Do what is due, and find out when to look again."""
        now = time.monotonic()
        round_ends = self._round_began + self.time if self._ticking else math.inf
        if now >= round_ends:
            self._ticking = False
            self._time_out()
            round_ends = math.inf
        quiet = self._spoke if not self._ticking else max(self._spoke, round_ends)
        if now >= quiet + self.terms.silence:
            self._fail(_silent(self.terms.silence))
        match_ends = self._began + self.terms.match_time
        if now >= match_ends:
            self._fail(_endless(self.terms.match_time))
        if self._gallery is not None and now >= self._gallery_alarm:
            left = round_ends - now if self._ticking else None
            self._gallery_alarm = self._gallery.tick(now, tuple(self.listen), left)
        self._alarm = min(
            round_ends, quiet + self.terms.silence, match_ends, self._gallery_alarm, now + 3600
        )

    def _time_out(self) -> None:
        """The round's time is over: said once, until the state changes."""
        late = [seat for seat in self.listen if 0 <= seat < len(self.seats)]
        for seat in late:
            if not self.seats[seat].has_left() and seat not in self._answered:
                self.seats[seat].blame(LATE)
        if self.version.timeouts_name_seats:
            for seat in late:
                self.troubled(seat, Trouble.TIMEOUT)
        else:
            self.troubled(self.state, Trouble.TIMEOUT)

    # Ending

    def _tell_end_state(self) -> None:
        self._wants_end_state = False
        for seat in self.seats:
            seat.dismiss()
        self._wait_for(lambda: any(seat.present for seat in self.seats), GRACE)
        for seat in self.seats:
            seat.close()
        self._tell(protocol.end_state_message([seat.verdict for seat in self.seats]))

    def _farewell(self) -> None:
        """Let everybody go: a moment for the logic to finish, SIGTERM, another moment."""
        for seat in self.seats:
            seat.dismiss()
        logic = self._logic
        if logic is None:
            return
        if self._end is not None:
            logic.hang_up()
            self._wait_for(lambda: logic.alive, GRACE)
        logic.terminate()
        self._wait_for(lambda: logic.alive or any(seat.present for seat in self.seats), GRACE)

    def _wait_for(self, running: Any, seconds: float) -> None:
        until = time.monotonic() + seconds
        while running() and (left := until - time.monotonic()) > 0:
            self.loop.step(left)

    def _report(self) -> Report:
        reason, why = ENDED, {"en": "the logic ended the match", "zh": "逻辑结束了对局"}
        scores, verdicts = None, [seat.verdict for seat in self.seats]
        if self._end is not None:
            try:
                scores = protocol.scores_of(self._end.end_info, len(self.seats))
            except LogicError as error:
                self._note(error.why)
            if self._end.end_state is not None:
                said = protocol.verdicts_of(self._end.end_state, len(self.seats))
                verdicts = said or verdicts
        for seat, count in enumerate(self._dropped):
            if count:
                self._note(_dropped(seat, count))
        if self._failure is not None:
            reason, why = self._failure.name, dict(self._failure.why)
        logic = self._logic
        return Report(
            version=self.version.name,
            reason=reason,
            why=why,
            end_info=self._end.end_info if self._end else None,
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
                    stderr=seat.said(),
                )
                for seat, verdict in zip(self.seats, verdicts, strict=True)
            ],
            logic_exit_code=logic.code if logic else None,
            logic_stderr=logic.said() if logic else "",
            notes=self.notes,
        )


def _dropped(seat: int, count: int) -> Text:
    return {
        "en": f"answers of seat {seat} that were dropped, for nobody listened to it yet: {count};"
        " --early hold would keep them",
        "zh": f"座位 {seat} 在未被监听时的回答已丢弃：{count} 条；--early hold 会保留它们",
    }


def _flood() -> LogicError:
    size = BURST >> 20
    return LogicError(
        "logic_run_error",
        f"it sent more than {size} MB or {BURST_FRAMES} messages without waiting for an answer",
        f"它未等待任何回答就发送了超过 {size} MB 或 {BURST_FRAMES} 条消息",
    )


def _no_target(target: int) -> LogicError:
    return LogicError(
        "logic_goal_error",
        f"it sent a message to player {target}, who does not exist",
        f"它向不存在的玩家 {target} 发送消息",
    )


def _silent(seconds: float) -> LogicError:
    return LogicError(
        "logic_timeout_error",
        f"it said nothing for {seconds:g} s although it was its turn",
        f"轮到它时，它 {seconds:g} 秒没有任何消息",
    )


def _endless(seconds: float) -> LogicError:
    return LogicError(
        "logic_timeout_error",
        f"the match took more than {seconds:g} s",
        f"对局超过了 {seconds:g} 秒",
    )
