"""Before a match: players are seated and removed one by one, then the match begins.

The console (for people) and the controller (for programs) are two ways to talk with a desk; both
answer as the original judger did.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludus.bots.resolve import BotSource
from ludus.bots.rival_files import refuse_rival_files
from ludus.compat.saiblo.command import find_source, find_typed_program
from ludus.compat.saiblo.loop import Loop
from ludus.compat.saiblo.match import EXIT_GRACE_S, JudgerSettings, Tap
from ludus.compat.saiblo.protocol import V1, ProtocolVersion, encode_frame
from ludus.compat.saiblo.remote import RemoteRoom, RemoteSeat
from ludus.compat.saiblo.report import JudgerReport
from ludus.compat.saiblo.run import judge_seated_match
from ludus.compat.saiblo.seat import EmptySeat, JudgerSeat, start_ai_seat
from ludus.lang import tr, translate

SEAT_NUMBERS = range(100)
WriteBytes = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class ReplyFormat:
    """What a version of the original answers in frames."""

    names_seats: bool
    """Whether a reply says which seat it is about."""
    always_reports_start: bool
    """Whether the start of a match is told to people too, not only to a controller."""
    reports_failure: bool
    """Whether a logic's failure is told."""

    def encode_success(self, kind: int, seat: int) -> bytes:
        """Something that was asked for has been done."""
        said = {"type": kind, "success": 1}
        return encode_reply({**said, "index": seat} if self.names_seats else said)

    def encode_failure(self, kind: int) -> bytes:
        return encode_reply({"type": kind, "success": 0})

    def encode_end(self, report: JudgerReport) -> bytes:
        """How the match ended."""
        if report.end_info is not None:
            return encode_frame(report.end_info.encode())
        if not self.reports_failure:
            return b""
        if report.reason == "logic_start_error":
            return self.encode_failure(4)
        return encode_reply({"type": 6, "error_log": report.reason})


_V1_REPLIES = ReplyFormat(names_seats=False, always_reports_start=False, reports_failure=False)
_LATER_REPLIES = ReplyFormat(names_seats=True, always_reports_start=True, reports_failure=True)


def reply_format_for(version: ProtocolVersion) -> ReplyFormat:
    return _V1_REPLIES if version is V1 else _LATER_REPLIES


def encode_reply(said: Mapping[str, Any]) -> bytes:
    return encode_frame(json.dumps(said).encode())


def encode_arrival(seat: int) -> bytes:
    """A person has connected; the same words in every version."""
    return encode_reply({"type": 1, "index": seat, "success": 1})


class Lobby:
    """Seats that fill up before a match."""

    def __init__(self, terms: JudgerSettings, folder: Path, out: WriteBytes) -> None:
        self.terms, self.folder, self.out = terms, folder, out
        self.replies = reply_format_for(terms.version)
        self.loop = Loop()
        self.room = RemoteRoom(self.loop)
        self.seats: dict[int, JudgerSeat] = {}
        self._sources: dict[int, BotSource] = {}
        """Of the AIs that are source files or folders; also of some that have left."""

    def add_ai(self, number: int, command: str) -> bool:
        """Start an AI; False if it cannot be started, a LudusError if it would see another's."""
        source = find_source(command, self.folder)
        if source is not None:
            sitting = [other for seat, other in self._sources.items() if seat in self.seats]
            refuse_rival_files([*sitting, source])
            self._sources[number] = source
        else:
            self._sources.pop(number, None)
        seat = start_ai_seat(
            self.loop,
            find_typed_program(command, self.folder),
            self.terms.ai_limits,
            self.terms.jail_level,
            self.terms.version,
        )
        if isinstance(seat, EmptySeat):
            return False
        self.seats[number] = seat
        return True

    def add_person(self, number: int, host: str, port: int, room: str) -> None:
        """Wait for a person at an address of their own."""
        modern = self.terms.version.has_watch_and_end_state
        seat = RemoteSeat((room, "*", str(number)), stays=not modern, tells_loss=modern)
        self.room.open(host, port)
        self.seats[number] = self.room.add_seat(seat)
        seat.on_arrival = lambda: self.out(encode_arrival(number))

    def remove(self, number: int) -> bool:
        """Send a player away; False if nobody sits there."""
        seat = self.seats.pop(number, None)
        if seat is None:
            return False
        seat.shut_down()
        if seat.is_running:
            self.loop.run_once(EXIT_GRACE_S)
        seat.close()
        if isinstance(seat, RemoteSeat):
            self.room.remove(seat)
        return True

    @property
    def is_complete(self) -> bool:
        """Whether the seats are taken from 0 on without a gap."""
        return sorted(self.seats) == list(range(len(self.seats)))

    def play(self, command: str, config: str, replay: str, tap: Tap | None = None) -> JudgerReport:
        """The match, with everybody who sits."""
        seats = [self.seats.pop(number) for number in sorted(self.seats)]
        logic = find_typed_program(command, self.folder)
        terms = with_config(self.terms, config)
        report = judge_seated_match(self.loop, logic, seats, replay, terms, tap=tap, room=self.room)
        forward_stderr(report)
        return report

    def close(self) -> None:
        """Everybody out."""
        for number in list(self.seats):
            self.remove(number)
        self.room.close()
        self.loop.close()


def with_config(terms: JudgerSettings, config: str) -> JudgerSettings:
    """A config is a text in version 1, an object later."""
    said: str | dict[str, Any] = config
    if terms.version.config == "object":
        try:
            parsed = json.loads(config)
        except (ValueError, RecursionError):
            parsed = None
        said = parsed if isinstance(parsed, dict) else {"config": config}
    return dataclasses.replace(terms, config=said)


def forward_stderr(report: JudgerReport) -> None:
    """The original's programs shared its stderr."""
    for text in (report.logic_stderr, *(seat.stderr for seat in report.seats)):
        sys.stderr.write(text)
    if not report.ended:
        failed = tr("the logic failed: ", "逻辑出错：")
        sys.stderr.write(f"{failed}{translate(report.why)}\n")
