"""A whole match from programs to report: seats are filled, the logic plays, all is cleaned up."""

from __future__ import annotations

import contextlib
import enum
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from ludus.compat.saiblo.command import LogicWorkspace
from ludus.compat.saiblo.loop import Loop
from ludus.compat.saiblo.match import JudgedMatch, JudgerSettings, Tap
from ludus.compat.saiblo.remote import RemoteRoom
from ludus.compat.saiblo.report import JudgerReport
from ludus.compat.saiblo.seat import JudgerSeat, start_ai_seat
from ludus.lang import Text
from ludus.sandbox import Program

CONNECT_POLL_S = 60.0
"""Seconds between two looks at who has connected."""
NO_REPLAY_NOTE: Text = {"en": "the logic wrote no replay", "zh": "逻辑没有写出回放文件"}


class Person(enum.Enum):
    """A seat that somebody far away takes."""

    REMOTE = "remote"


SeatOccupant = Program | Person | None
"""None is a program that could not be found."""
OnRoomOpen = Callable[[RemoteRoom], None]
"""Called when the room is open and the seats have their addresses."""


def judge_match(
    logic: Program | None,
    players: Sequence[SeatOccupant],
    replay: str,
    terms: JudgerSettings,
    *,
    tap: Tap | None = None,
    address: tuple[str, int] | None = None,
    invite: OnRoomOpen | None = None,
) -> JudgerReport:
    """Judge one match; the players sit in order. ``address``: where people connect, if at all;
    the match begins when all of them have."""
    with contextlib.ExitStack() as stack:
        loop = stack.enter_context(contextlib.closing(Loop()))
        room = stack.enter_context(contextlib.closing(RemoteRoom(loop)))
        if address is not None:
            room.open(*address)
        seats: list[JudgerSeat] = []
        for number, player in enumerate(players):
            seat = _make_seat(loop, room, number, player, terms)
            stack.callback(seat.close)
            seats.append(seat)
        if invite is not None:
            invite(room)
        while not all(seat.connected for seat in room.seats):
            loop.run_once(CONNECT_POLL_S)
        return judge_seated_match(loop, logic, seats, replay, terms, tap=tap, room=room)


def _make_seat(
    loop: Loop, room: RemoteRoom, number: int, player: SeatOccupant, terms: JudgerSettings
) -> JudgerSeat:
    if isinstance(player, Person):
        return room.create_seat(number)
    return start_ai_seat(loop, player, terms.ai_limits, terms.jail_level, terms.version)


def judge_seated_match(
    loop: Loop,
    logic: Program | None,
    seats: Sequence[JudgerSeat],
    replay: str,
    terms: JudgerSettings,
    *,
    tap: Tap | None = None,
    room: RemoteRoom | None = None,
) -> JudgerReport:
    """Judge a match of players who have taken their seats, and keep its replay."""
    judger = JudgedMatch(loop, seats, terms, tap=tap, gallery=room)
    as_given = terms.version.config == "text"
    with contextlib.closing(
        LogicWorkspace(replay, terms.jail_level, as_given=as_given)
    ) as workplace:
        report = judger.run(
            workplace.prepare_logic(logic) if logic else None, workplace.replay_path
        )
        if not workplace.save_replay(Path(os.getcwd(), replay)):
            report.notes.append(NO_REPLAY_NOTE)
    return report
