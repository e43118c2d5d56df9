"""A whole match from programs to report: seats are filled, the logic plays, all is cleaned up."""

from __future__ import annotations

import contextlib
import enum
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from ludus.compat.saiblo.command import Workplace
from ludus.compat.saiblo.loop import Loop
from ludus.compat.saiblo.match import Judger, Tap, Terms
from ludus.compat.saiblo.remote import Room
from ludus.compat.saiblo.report import Report
from ludus.compat.saiblo.seat import Seat, seat_program
from ludus.lang import Text
from ludus.sandbox import Program

PATIENCE = 60.0
"""Seconds between two looks at who has connected."""
NO_REPLAY: Text = {"en": "the logic wrote no replay", "zh": "逻辑没有写出回放文件"}


class Person(enum.Enum):
    """A seat that somebody far away takes."""

    REMOTE = "remote"


Player = Program | Person | None
"""None is a program that could not be found."""
Invite = Callable[[Room], None]
"""Called when the room is open and the seats have their addresses."""


def judge(
    logic: Program | None,
    players: Sequence[Player],
    replay: str,
    terms: Terms,
    *,
    tap: Tap | None = None,
    address: tuple[str, int] | None = None,
    invite: Invite | None = None,
) -> Report:
    """Judge one match; the players sit in order. ``address``: where people connect, if at all;
    the match begins when all of them have."""
    with contextlib.ExitStack() as stack:
        loop = stack.enter_context(contextlib.closing(Loop()))
        room = stack.enter_context(contextlib.closing(Room(loop)))
        if address is not None:
            room.open(*address)
        seats: list[Seat] = []
        for number, player in enumerate(players):
            seat = _take(loop, room, number, player, terms)
            stack.callback(seat.close)
            seats.append(seat)
        if invite is not None:
            invite(room)
        while not all(seat.connected for seat in room.seats):
            loop.step(PATIENCE)
        return preside(loop, logic, seats, replay, terms, tap=tap, room=room)


def _take(loop: Loop, room: Room, number: int, player: Player, terms: Terms) -> Seat:
    if isinstance(player, Person):
        return room.seat(number)
    return seat_program(loop, player, terms.ai_limits, terms.jail, terms.version)


def preside(
    loop: Loop,
    logic: Program | None,
    seats: Sequence[Seat],
    replay: str,
    terms: Terms,
    *,
    tap: Tap | None = None,
    room: Room | None = None,
) -> Report:
    """Judge a match of players who have taken their seats, and keep its replay."""
    judger = Judger(loop, seats, terms, tap=tap, gallery=room)
    as_given = terms.version.config == "text"
    with contextlib.closing(Workplace(replay, terms.jail, as_given=as_given)) as workplace:
        report = judger.run(workplace.logic(logic) if logic else None, workplace.told)
        if not workplace.take(Path(os.getcwd(), replay)):
            report.notes.append(NO_REPLAY)
    return report
