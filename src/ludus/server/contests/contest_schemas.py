"""What the API says about contests, challenges and ladders."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

import msgspec
from msgspec import UNSET, UnsetType

from ludus.lang import Text
from ludus.server.bots.bot_schemas import OwnerInfo
from ludus.server.records.bout_schemas import BotLink, BoutInfo, PlayerInfo, VersionLink
from ludus.server.vocabulary import ContestState


class ContestEntrant(msgspec.Struct):
    """Who takes part in a contest: a person's bot, or one of the house."""

    id: int
    name: str
    bot: BotLink | None
    owner: OwnerInfo | None
    house: str
    """The name of a house bot; empty for a person's."""
    mine: bool
    version: int | None
    """Fixed when entries close, like its ``number``."""
    number: int | None
    seed: int | None
    """Its place in the seeding."""
    dropped: bool
    why: Text | None
    """Why it was dropped."""


class ContestInfo(msgspec.Struct):
    """A contest."""

    id: int
    title: str
    game: str
    options: dict[str, Any]
    clock: dict[str, Any]
    seed: int | None
    """Null until whoever asks may know it."""
    format: str
    format_settings: dict[str, Any]
    match: dict[str, Any]
    stages: dict[str, Any]
    group: int | None
    """The class it is for; null: everybody."""
    runs: bool
    """Whether whoever asks runs it."""
    state: ContestState
    why: Text | None
    opens: str | None
    closes: str | None
    starts: str | None
    publishes: str | None
    hidden_until_published: bool
    delay: float
    """Seconds by which it is shown later than it is played."""
    shown: bool
    """Whether whoever asks may see its tables and bouts."""
    imports: list[str] | None
    preset: str
    about: str
    author: str
    entrants: list[ContestEntrant]
    entered: bool
    bouts_played: int | None
    bouts_total: int | None


class ContestPage(msgspec.Struct):
    """A page of contests."""

    items: list[ContestInfo]
    next: int | None


class StandingsColumn(msgspec.Struct):
    """A column of a table: the key of its value in each row, and its title."""

    key: str
    title: Text


class StandingsRowInfo(TypedDict):
    """A line of a table; the values of tie-breaks have the keys of their columns (``tie0``, …)."""

    place: int
    name: str
    points: float
    wins: int
    draws: int
    losses: int
    scored: float
    bouts: int
    note: str


class StandingsInfo(msgspec.Struct):
    """A table of standings."""

    title: Text
    columns: list[StandingsColumn]
    rows: list[StandingsRowInfo]
    through: int | None
    """How many go through to the next stage."""


class BracketMatch(msgspec.Struct):
    """A match of a bracket. Of its players null is not known yet, and empty a bye."""

    key: str
    title: Text
    a: str | None
    b: str | None
    score: list[float] | None
    winner: str | None
    ending: str | None
    """How it ended: ``played``, ``lot``, ``timeout`` or ``walkover``; null: not yet."""
    skipped: bool
    films: list[str]


class CrosstableInfo(msgspec.Struct):
    """Everybody against everybody."""

    names: list[str]
    points: dict[str, float]
    cells: dict[str, tuple[int, int, int]]
    """By ``row/column``: won, drawn, lost."""


class ContestTables(msgspec.Struct):
    """How a contest stands."""

    tables: list[StandingsInfo]
    standings: StandingsInfo | None
    bracket: list[list[BracketMatch]] | None
    """Column by column."""
    crosstable: CrosstableInfo | None
    over: bool | UnsetType = UNSET
    """Once it has begun, like ``round``."""
    round: int | UnsetType = UNSET


class SettingInfo(msgspec.Struct):
    """A setting of a format or of a match, as a field of a form."""

    name: str
    type: str
    default: Any
    choices: list[str] | None
    help: Text


class FormatInfo(msgspec.Struct):
    """A format with its settings."""

    name: str
    settings: list[SettingInfo]


class FormatForms(msgspec.Struct):
    """Every format with its settings, and the settings of a match."""

    formats: list[FormatInfo]
    match: list[SettingInfo]


class PresetInfo(msgspec.Struct):
    """A real event as settings."""

    name: str
    title: Text
    game: str
    settings: dict[str, Any]


class LadderBot(msgspec.Struct):
    """A bot on a ladder; one of the house has no id."""

    id: int | None
    name: str
    owner: OwnerInfo
    language: str


class LadderRow(msgspec.Struct):
    """A line of a ladder."""

    place: int
    bot: LadderBot
    version: VersionLink | None
    elo: float
    low: float
    high: float
    bouts: int
    won: int
    drawn: int
    lost: int
    faults: int
    apart: bool
    """Clearly apart from the next place."""


class LadderInfo(msgspec.Struct):
    """A game's ladder."""

    game: str
    contest: int | None
    """Its contest; null: nothing has been played yet."""
    rows: list[LadderRow]
    bouts: int
    at: str | None


class LadderSummary(msgspec.Struct):
    """A ladder in the list of ladders."""

    game: str
    title: Text
    bots: int
    bouts: int
    leader: LadderRow | None


class RatingPoint(msgspec.Struct):
    """What a bot was worth at a moment."""

    at: str
    elo: float
    low: float
    high: float
    version: int


class TestedOpponent(PlayerInfo, kw_only=True):
    """An opponent in a batch test, seen from the version under test."""

    won: int = 0
    drawn: int = 0
    lost: int = 0
    faults: int = 0


class ChallengeInfo(msgspec.Struct):
    """A challenge, or a batch test of one version against many."""

    id: int
    kind: Literal["challenge", "test"]
    title: str
    game: str
    at: str
    state: ContestState
    why: Text | None
    players: list[PlayerInfo]
    score: list[float]
    played: int
    total: int
    mine: bool
    rows: list[TestedOpponent] | UnsetType = UNSET
    """Of a batch test."""
    bouts: list[BoutInfo] | UnsetType = UNSET
    """Where one challenge is asked for."""


class ChallengePage(msgspec.Struct):
    """A page of challenges and batch tests."""

    items: list[ChallengeInfo]
    next: int | None
