"""API schemas: bouts that were played on this server."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from ludus.contest.matchup import Matchup, OpeningScore
from ludus.lang import Text
from ludus.sandbox.bot_fault import FaultKind


class BotLink(msgspec.Struct):
    """Identifies a bot."""

    id: int
    name: str


class VersionLink(msgspec.Struct):
    """Identifies a version of a bot."""

    id: int
    number: int


class ContestLink(msgspec.Struct):
    """The contest, challenge, test, ladder or grading of a bout."""

    id: int
    kind: str
    title: str
    assignment: int | UnsetType = UNSET
    """Of a grading: what was handed in for it."""


class OwnerInfo(msgspec.Struct):
    """The owner of a bot: a person, a team, or the house."""

    kind: Literal["user", "team", "house"]
    id: int | None
    name: str
    shown: str | UnsetType = UNSET
    """A person's display name."""


class PlayerInfo(msgspec.Struct):
    """An entrant: an uploaded bot, or a house bot, which has no id."""

    name: str
    bot: BotLink | UnsetType = UNSET
    version: VersionLink | UnsetType = UNSET
    owner: OwnerInfo | UnsetType = UNSET
    """Of an uploaded bot."""


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
    """The number that the game counts, such as cells."""
    fault: FaultInfo | UnsetType = UNSET


class SeatOutput(msgspec.Struct):
    """A bot's output in a bout, and its traceback."""

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
    """Whether it was judged again and does not count any more."""
    output: dict[str, SeatOutput] | UnsetType = UNSET
    """By seat: the output of one's own bots."""


class MatchupInfo(msgspec.Struct):
    """Two bots head to head, from the side of the first."""

    game: str
    bots: list[PlayerInfo]
    matchup: Matchup
    """The sources of its bouts are ids of films."""
    losing: list[list[OpeningScore]]
    """For each of the two: the openings from which it loses, the worst first."""
    copies: Text | None
    """A sentence about bouts that are copies of others; null if there are none."""
    limited: bool
    """Whether there are older bouts, which were not looked at."""


class BoutPage(msgspec.Struct):
    """A page of bouts."""

    items: list[BoutInfo]
    next: int | None


class FoundBouts(BoutPage):
    """A page of bouts that a search found."""

    count: int | None = None
    """How many there are; null if it was not counted, as on later pages."""
    more_than_count: bool = False
    """Whether there are more than ``count``."""
