"""Before a match: players are added and removed one by one, then the match begins.

The console (for people) and the controller (for programs) are two ways to control a lobby; both
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
from ludus.compat.saiblo.frames import encode_frame
from ludus.compat.saiblo.logic_error import LogicErrorCode
from ludus.compat.saiblo.loop import Loop
from ludus.compat.saiblo.match import EXIT_GRACE_S
from ludus.compat.saiblo.observers import Tap
from ludus.compat.saiblo.remote_room import RemoteRoom
from ludus.compat.saiblo.remote_seat import RemoteSeat
from ludus.compat.saiblo.report import JudgerReport
from ludus.compat.saiblo.run import judge_seated_match
from ludus.compat.saiblo.seat import EmptySeat, JudgerSeat, start_ai_seat
from ludus.compat.saiblo.settings import JudgerSettings
from ludus.compat.saiblo.versions import V1, ProtocolVersion
from ludus.lang import tr, translate

SEAT_NUMBERS = range(100)
WriteBytes = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class ReplyFormat:
    """How a version of the original replies to commands, in frames."""

    names_seats: bool
    """Whether a reply says which seat it is about."""
    always_reports_start: bool
    """Whether the start of a match is reported on the console too, not only to a controller."""
    reports_failure: bool
    """Whether a logic's failure is reported."""

    def encode_success(self, kind: int, seat: int) -> bytes:
        """A command of this type was carried out."""
        reply = {"type": kind, "success": 1}
        return encode_reply({**reply, "index": seat} if self.names_seats else reply)

    def encode_failure(self, kind: int) -> bytes:
        return encode_reply({"type": kind, "success": 0})

    def encode_end(self, report: JudgerReport) -> bytes:
        """How the match ended."""
        if report.end_info is not None:
            return encode_frame(report.end_info.encode())
        if not self.reports_failure:
            return b""
        if report.reason == LogicErrorCode.START:
            return self.encode_failure(4)
        return encode_reply({"type": 6, "error_log": report.reason})


_V1_REPLIES = ReplyFormat(names_seats=False, always_reports_start=False, reports_failure=False)
_LATER_REPLIES = ReplyFormat(names_seats=True, always_reports_start=True, reports_failure=True)


def reply_format_for(version: ProtocolVersion) -> ReplyFormat:
    return _V1_REPLIES if version is V1 else _LATER_REPLIES


def encode_reply(reply: Mapping[str, Any]) -> bytes:
    return encode_frame(json.dumps(reply).encode())


def encode_arrival(seat: int) -> bytes:
    """A person has connected; the same reply in every version."""
    return encode_reply({"type": 1, "index": seat, "success": 1})


class Lobby:
    """Seats that fill up before a match."""

    def __init__(self, settings: JudgerSettings, folder: Path, out: WriteBytes) -> None:
        self.settings, self.folder, self.out = settings, folder, out
        self.replies = reply_format_for(settings.version)
        self.loop = Loop()
        self.room = RemoteRoom(self.loop)
        self.seats: dict[int, JudgerSeat] = {}
        self._sources: dict[int, BotSource] = {}
        """The sources of the AIs that are source files or folders; may hold removed ones too."""

    def add_ai(self, number: int, command: str) -> bool:
        """Start an AI; whether that was possible. Raises LudusError if it could read the files of
        another AI."""
        source = find_source(command, self.folder)
        if source is not None:
            seated = [other for seat, other in self._sources.items() if seat in self.seats]
            refuse_rival_files([*seated, source])
            self._sources[number] = source
        else:
            self._sources.pop(number, None)
        seat = start_ai_seat(
            self.loop,
            find_typed_program(command, self.folder),
            self.settings.ai_limits,
            self.settings.jail_level,
            self.settings.version,
        )
        if isinstance(seat, EmptySeat):
            return False
        self.seats[number] = seat
        return True

    def add_person(self, number: int, host: str, port: int, room: str) -> None:
        """Open a seat for a person who connects to its address."""
        modern = self.settings.version.has_watch_and_end_state
        seat = RemoteSeat(
            (room, "*", str(number)), keeps_first_client=not modern, reports_loss=modern
        )
        self.room.open(host, port)
        self.seats[number] = self.room.add_seat(seat)
        seat.on_arrival = lambda: self.out(encode_arrival(number))

    def remove(self, number: int) -> bool:
        """Remove a player; False if the seat is empty."""
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
        """Play a match with all players who are there."""
        seats = [self.seats.pop(number) for number in sorted(self.seats)]
        logic = find_typed_program(command, self.folder)
        settings = with_config(self.settings, config)
        report = judge_seated_match(
            self.loop, logic, seats, replay, settings, tap=tap, room=self.room
        )
        forward_stderr(report)
        return report

    def close(self) -> None:
        """Remove all players."""
        for number in list(self.seats):
            self.remove(number)
        self.room.close()
        self.loop.close()


def with_config(settings: JudgerSettings, config: str) -> JudgerSettings:
    """The settings with a config as typed: a string in version 1, an object later."""
    value: str | dict[str, Any] = config
    if settings.version.config == "object":
        try:
            parsed = json.loads(config)
        except (ValueError, RecursionError):
            parsed = None
        value = parsed if isinstance(parsed, dict) else {"config": config}
    return dataclasses.replace(settings, config=value)


def forward_stderr(report: JudgerReport) -> None:
    """Write what the programs wrote to stderr: the original's programs shared its own."""
    for text in (report.logic_stderr, *(seat.stderr for seat in report.seats)):
        sys.stderr.write(text)
    if not report.ended:
        failed = tr("the logic failed: ", "逻辑出错：")
        sys.stderr.write(f"{failed}{translate(report.why)}\n")
