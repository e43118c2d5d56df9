"""A whole match: start the programs, judge, clean up, report."""

from __future__ import annotations

import contextlib
import enum
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from ludus.compat.saiblo.command import LogicWorkspace
from ludus.compat.saiblo.loop import Loop
from ludus.compat.saiblo.match import JudgedMatch
from ludus.compat.saiblo.observers import Tap
from ludus.compat.saiblo.remote_room import RemoteRoom
from ludus.compat.saiblo.report import JudgerReport
from ludus.compat.saiblo.seat import JudgerSeat, start_ai_seat
from ludus.compat.saiblo.settings import JudgerSettings
from ludus.lang import Text
from ludus.sandbox import Program

CONNECT_POLL_S = 60.0
"""Seconds to wait for connections before looking again whether all players are there."""
NO_REPLAY_NOTE: Text = Text("the logic wrote no replay", "逻辑没有写出回放文件")


class Person(enum.Enum):
    """A seat for a player who connects over the network."""

    REMOTE = "remote"


SeatOccupant = Program | Person | None
"""A program, a remote player, or None for a program that was not found."""
OnRoomOpen = Callable[[RemoteRoom], None]
"""Called when people can connect and the seats have their addresses."""


def judge_match(
    logic: Program | None,
    players: Sequence[SeatOccupant],
    replay: str,
    settings: JudgerSettings,
    *,
    tap: Tap | None = None,
    address: tuple[str, int] | None = None,
    on_room_open: OnRoomOpen | None = None,
) -> JudgerReport:
    """Judge one match between ``players``, in the order of their seats.

    ``address`` is where people connect, if any take part; the match begins when all are connected.
    """
    with contextlib.ExitStack() as stack:
        loop = stack.enter_context(contextlib.closing(Loop()))
        room = stack.enter_context(contextlib.closing(RemoteRoom(loop)))
        if address is not None:
            room.open(*address)
        seats: list[JudgerSeat] = []
        for number, player in enumerate(players):
            seat = _make_seat(loop, room, number, player, settings)
            stack.callback(seat.close)
            seats.append(seat)
        if on_room_open is not None:
            on_room_open(room)
        while not all(seat.connected for seat in room.seats):
            loop.run_once(CONNECT_POLL_S)
        return judge_seated_match(loop, logic, seats, replay, settings, tap=tap, room=room)


def _make_seat(
    loop: Loop, room: RemoteRoom, number: int, player: SeatOccupant, settings: JudgerSettings
) -> JudgerSeat:
    if isinstance(player, Person):
        return room.create_seat(number)
    return start_ai_seat(loop, player, settings.ai_limits, settings.jail_level, settings.version)


def judge_seated_match(
    loop: Loop,
    logic: Program | None,
    seats: Sequence[JudgerSeat],
    replay: str,
    settings: JudgerSettings,
    *,
    tap: Tap | None = None,
    room: RemoteRoom | None = None,
) -> JudgerReport:
    """Judge a match of players who have taken their seats, and save its replay."""
    match = JudgedMatch(loop, seats, settings, tap=tap, spectators=room)
    as_given = settings.version.config == "text"
    with contextlib.closing(
        LogicWorkspace(replay, settings.jail_level, as_given=as_given)
    ) as workspace:
        report = match.run(workspace.prepare_logic(logic) if logic else None, workspace.replay_path)
        if not workspace.save_replay(Path(os.getcwd(), replay)):
            report.notes.append(NO_REPLAY_NOTE)
    return report
