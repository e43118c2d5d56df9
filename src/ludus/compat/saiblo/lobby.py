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

from ludus.bots.resolve import Source
from ludus.bots.rival_files import refuse_rivals_files
from ludus.compat.saiblo.command import program_of, source_of
from ludus.compat.saiblo.loop import Loop
from ludus.compat.saiblo.match import GRACE, Tap, Terms
from ludus.compat.saiblo.protocol import V1, Version, frame
from ludus.compat.saiblo.remote import RemoteSeat, Room
from ludus.compat.saiblo.report import Report
from ludus.compat.saiblo.run import preside
from ludus.compat.saiblo.seat import EmptySeat, Seat, seat_program
from ludus.lang import tr, words

SEATS = range(100)
Out = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class Replies:
    """What a version of the original answers in frames."""

    names_seats: bool
    """Whether a reply says which seat it is about."""
    always_tells_start: bool
    """Whether the start of a match is told to people too, not only to a controller."""
    tells_failure: bool
    """Whether a logic's failure is told."""

    def done(self, kind: int, seat: int) -> bytes:
        """Something that was asked for has been done."""
        said = {"type": kind, "success": 1}
        return reply({**said, "index": seat} if self.names_seats else said)

    def failed(self, kind: int) -> bytes:
        return reply({"type": kind, "success": 0})

    def end(self, report: Report) -> bytes:
        """How the match ended."""
        if report.end_info is not None:
            return frame(report.end_info.encode())
        if not self.tells_failure:
            return b""
        if report.reason == "logic_start_error":
            return self.failed(4)
        return reply({"type": 6, "error_log": report.reason})


_V1 = Replies(names_seats=False, always_tells_start=False, tells_failure=False)
_LATER = Replies(names_seats=True, always_tells_start=True, tells_failure=True)


def replies_of(version: Version) -> Replies:
    return _V1 if version is V1 else _LATER


def reply(said: Mapping[str, Any]) -> bytes:
    return frame(json.dumps(said).encode())


def arrival(seat: int) -> bytes:
    """A person has connected; the same words in every version."""
    return reply({"type": 1, "index": seat, "success": 1})


class Desk:
    """Seats that fill up before a match."""

    def __init__(self, terms: Terms, folder: Path, out: Out) -> None:
        self.terms, self.folder, self.out = terms, folder, out
        self.replies = replies_of(terms.version)
        self.loop = Loop()
        self.room = Room(self.loop)
        self.seats: dict[int, Seat] = {}
        self._sources: dict[int, Source] = {}
        """Of the AIs that are source files or folders; also of some that have left."""

    def seat_ai(self, number: int, command: str) -> bool:
        """Start an AI; False if it cannot be started, a LudusError if it would see another's."""
        source = source_of(command, self.folder)
        if source is not None:
            sitting = [other for seat, other in self._sources.items() if seat in self.seats]
            refuse_rivals_files([*sitting, source])
            self._sources[number] = source
        else:
            self._sources.pop(number, None)
        seat = seat_program(
            self.loop,
            program_of(command, self.folder),
            self.terms.ai_limits,
            self.terms.jail,
            self.terms.version,
        )
        if isinstance(seat, EmptySeat):
            return False
        self.seats[number] = seat
        return True

    def seat_person(self, number: int, host: str, port: int, room: str) -> None:
        """Wait for a person at an address of their own."""
        modern = self.terms.version.extras
        seat = RemoteSeat((room, "*", str(number)), stays=not modern, tells_loss=modern)
        self.room.open(host, port)
        self.seats[number] = self.room.place(seat)
        seat.arrived = lambda: self.out(arrival(number))

    def remove(self, number: int) -> bool:
        """Send a player away; False if nobody sits there."""
        seat = self.seats.pop(number, None)
        if seat is None:
            return False
        seat.dismiss()
        if seat.present:
            self.loop.step(GRACE)
        seat.close()
        if isinstance(seat, RemoteSeat):
            self.room.remove(seat)
        return True

    @property
    def complete(self) -> bool:
        """Whether the seats are taken from 0 on without a gap."""
        return sorted(self.seats) == list(range(len(self.seats)))

    def play(self, command: str, config: str, replay: str, tap: Tap | None = None) -> Report:
        """The match, with everybody who sits."""
        seats = [self.seats.pop(number) for number in sorted(self.seats)]
        logic = program_of(command, self.folder)
        terms = with_config(self.terms, config)
        report = preside(self.loop, logic, seats, replay, terms, tap=tap, room=self.room)
        pass_on_stderr(report)
        return report

    def close(self) -> None:
        """Everybody out."""
        for number in list(self.seats):
            self.remove(number)
        self.room.close()
        self.loop.close()


def with_config(terms: Terms, config: str) -> Terms:
    """A config is a text in version 1, an object later."""
    said: str | dict[str, Any] = config
    if terms.version.config == "object":
        try:
            parsed = json.loads(config)
        except (ValueError, RecursionError):
            parsed = None
        said = parsed if isinstance(parsed, dict) else {"config": config}
    return dataclasses.replace(terms, config=said)


def pass_on_stderr(report: Report) -> None:
    """The original's programs shared its stderr."""
    for text in (report.logic_stderr, *(seat.stderr for seat in report.seats)):
        sys.stderr.write(text)
    if not report.ended:
        failed = tr("the logic failed: ", "逻辑出错：")
        sys.stderr.write(f"{failed}{words(report.why)}\n")
