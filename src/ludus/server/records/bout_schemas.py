"""What the API says about bouts that were played here."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from ludus.lang import Text
from ludus.sandbox.fault import FaultKind


class BotLink(msgspec.Struct):
    """Which bot."""

    id: int
    name: str


class VersionLink(msgspec.Struct):
    """Which version of a bot."""

    id: int
    number: int


class ContestLink(msgspec.Struct):
    """Where a bout was played: in a contest, a challenge, a test or on a ladder."""

    id: int
    kind: str
    title: str


class PlayerInfo(msgspec.Struct):
    """An entrant: a person's bot, or one of the house, which has no id."""

    name: str
    bot: BotLink | UnsetType = UNSET
    version: VersionLink | UnsetType = UNSET


class FaultInfo(msgspec.Struct):
    """Why a seat was stopped."""

    kind: FaultKind
    why: Text


class BoutPlayer(PlayerInfo, kw_only=True):
    """An entrant on a seat of a bout."""

    score: float | None
    cpu: float
    """Seconds."""
    figure: float
    """What the game counts, such as cells."""
    fault: FaultInfo | UnsetType = UNSET


class SeatOutput(msgspec.Struct):
    """What a bot printed in a bout, and its traceback."""

    stdout: str
    stderr: str
    traceback: str


class BoutInfo(msgspec.Struct):
    """A bout that was played."""

    id: int
    film: str
    game: str
    at: str
    contest: ContestLink
    match: str
    number: int
    """Within its match, from 1."""
    players: list[BoutPlayer]
    winner: int | None
    verdict: str
    reason: Text
    plies: int
    void: bool
    """Judged anew, and counted no more."""
    output: dict[str, SeatOutput] | UnsetType = UNSET
    """By seat: what one's own bots printed."""


class BoutPage(msgspec.Struct):
    """A page of bouts."""

    items: list[BoutInfo]
    next: int | None
