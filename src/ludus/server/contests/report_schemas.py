"""What the report of a contest contains: its page draws this and nothing else."""

from __future__ import annotations

from typing import Literal

import msgspec

from ludus.lang import Text
from ludus.server.contests.contest_schemas import ContestTables


class RatedEntrant(msgspec.Struct):
    """The rating of an entrant, with its 95 % interval."""

    name: str
    elo: float
    low: float
    high: float
    shown: str
    """The three numbers as every command shows them: ``+191 [+34, +337]``."""
    group: int
    """Entrants of a group cannot be separated from its best; groups are numbered from 1."""


class RatingAnchor(msgspec.Struct):
    """The entrant whose rating is fixed."""

    name: str
    elo: float


class ReportRatings(msgspec.Struct):
    """Ratings from all bouts together."""

    rows: list[RatedEntrant]
    """Best first."""
    anchor: RatingAnchor | None
    """Null: the mean is 0."""
    seat: float
    """What sitting first is worth, in Elo."""
    seat_error: float
    """Half of its 95 % interval."""


class ReportBot(msgspec.Struct):
    """Bouts, thinking time and faults of an entrant."""

    name: str
    bouts: int
    won: int
    drawn: int
    lost: int
    cpu: float
    """Seconds in all its bouts."""
    slowest: float
    """Seconds in the bout that took longest."""
    faults: dict[str, int]
    """How many of each kind."""


class ReportMatch(msgspec.Struct):
    """A match of which at least one bout was played."""

    title: Text
    entrants: list[str]
    scores: list[float] | None
    """Null, like ``ending``, while it is under way."""
    winner: str | None
    ending: str | None
    decided: Text
    """As in a bracket."""


class ReportBout(msgspec.Struct):
    """A bout."""

    names: list[str]
    """By seat."""
    winner: str | None
    reason: Text
    """Why it ended; if a bot made a fault, that."""
    fault: bool
    plies: int
    cpu: list[float]
    record: str | None
    """The record's path beside the report; null: it is not there."""
    film: str | None
    """The bout's film on the server; null: the report is not from a server."""


class ReportTurningPoint(msgspec.Struct):
    """A move that turned a bout."""

    names: list[str]
    """By seat."""
    sentence: Text
    record: str | None
    film: str | None
    """As in a bout."""


class ReportTurningPoints(msgspec.Struct):
    """The biggest turning points of a contest."""

    judged: int
    """How many bouts were judged …"""
    bouts: int
    """… of so many."""
    points: list[ReportTurningPoint]
    """The biggest first."""


class ReportSite(msgspec.Struct):
    """The server on which the contest and its bouts have pages."""

    address: str
    """As in ``https://arena.example``."""
    contest: int


class ContestReport(msgspec.Struct):
    """The whole report of a contest."""

    language: Literal["en", "zh"]
    """The language that it opens in."""
    title: str
    game: Text
    seats: list[Text]
    entrants: int
    seed: str | None
    """In digits; null while it must not be known."""
    made: str
    """When it was written; empty: not known."""
    first_bout: str
    """When the first bout began, and the last; empty before."""
    last_bout: str
    tables: ContestTables
    ratings: ReportRatings | None
    """Null: no bout was played yet."""
    bots: list[ReportBot]
    matches: list[ReportMatch]
    bouts: list[ReportBout]
    turning_points: ReportTurningPoints | None
    """Null: they were not looked for."""
    site: ReportSite | None
    """Null: the report is not from a server."""
    people: dict[str, str] | None
    """Who is behind each entrant, with student numbers; null: that is not to be told."""
