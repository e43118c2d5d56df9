"""API schemas: rooms, and matches between bots."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from ludus.server.live.film_schemas import GameTitle
from ludus.server.live.messages import SeatKind, SeatPresence

RoomState = Literal["waiting", "playing", "left", "over"]
"""``left``: the bout has begun, but all its people are gone; they may come back for a while."""


class RoomInfo(msgspec.Struct):
    """A room in the list."""

    id: str
    title: str
    game: GameTitle
    state: RoomState
    seats: list[SeatPresence]
    practice: bool
    watchers: int


class SeatKey(msgspec.Struct):
    """A seat of a new room; a person's has the token that opens it."""

    seat: int
    kind: SeatKind
    token: str | UnsetType = UNSET
    link: str | UnsetType = UNSET


class OpenedRoom(msgspec.Struct):
    """A room that was opened."""

    room: str
    seats: list[SeatKey]


class TakenSeat(msgspec.Struct):
    """An open seat that was taken."""

    room: str
    seat: int
    token: str


class SeatName(msgspec.Struct):
    """The name under which the person on a seat plays."""

    seat: int
    name: str


class StartedMatch(msgspec.Struct):
    """A match between bots that was started."""

    match: str
    films: list[str]
    key: str
    """The secret with which anybody may stop the match."""


class StoppedMatch(msgspec.Struct):
    """A match that was stopped."""

    match: str
