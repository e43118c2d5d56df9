"""API schemas: contests, challenges and ladders."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

import msgspec
from msgspec import UNSET, UnsetType

from ludus.lang import Text
from ludus.server.records.bout_schemas import BotLink, BoutInfo, OwnerInfo, PlayerInfo, VersionLink
from ludus.server.vocabulary import ContestState


class ContestEntrant(msgspec.Struct):
    """An entrant of a contest: an uploaded bot or a house bot."""

    id: int
    name: str
    bot: BotLink | None
    owner: OwnerInfo | None
    house: str
    """The name of a house bot; empty for an uploaded one."""
    mine: bool
    version: int | None
    """Fixed when sign-up closes, like its ``number``."""
    number: int | None
    seed: int | None
    """Its place in the seeding."""
    dropped: bool
    """Whether it plays no more, or never did."""
    disqualified: bool
    """Whether that is because the staff disqualified it; its bouts do not count."""
    why: Text | None
    """Why it was excluded."""


class ContestInfo(msgspec.Struct):
    """A contest."""

    id: int
    title: str
    game: str
    options: dict[str, Any]
    clock: dict[str, Any]
    seed: str | None
    """In digits, because it is larger than numbers that JavaScript keeps exactly; null while the
    person who asks may not know it."""
    format: str
    format_settings: dict[str, Any]
    match: dict[str, Any]
    stages: dict[str, Any]
    openings: str
    """``suite``, ``random:N`` or ``none``; empty before the start: the game's default."""
    group: int | None
    """The class that it is for; null: everybody."""
    runs: bool
    """Whether the person who asks manages it."""
    staff: bool
    """Whether they may know the people behind its entrants, by name and student number."""
    state: ContestState
    begun: bool
    """Whether it has started at some time; one that was cancelled before has not."""
    why: Text | None
    opens: str | None
    closes: str | None
    starts: str | None
    publishes: str | None
    hidden_until_published: bool
    delay: float
    """Seconds by which it is shown late."""
    shown: bool
    """Whether the person who asks may see its tables and bouts."""
    imports: list[str] | None
    preset: str
    about: str
    author: str
    entrants: list[ContestEntrant]
    entered: bool
    bouts_played: int | None
    """Those that count."""
    bouts_listed: int | None
    """Those of entrants that have left, too."""
    bouts_total: int | None
    rounds_total: int | None
    """Of a Swiss contest with the entrants that it has."""
    waits_for_workers: bool = False
    """Whether it plays no bouts now because all workers play others; told of one contest only."""


WhichBot = Literal["current", "ladder"]
"""Of the bots of a person: the one with the newest version that has passed its check, or the one on
the ladder."""


class ClassEntry(msgspec.Struct):
    """What entering a class does with one student."""

    user: int
    name: str
    real_name: str
    number: str
    section: str
    bot: BotLink | None
    version: int | None
    """The number of its version now."""
    state: Literal["enters", "entered", "missing"]
    """It would enter; a bot of theirs has entered already; there is none."""
    why: Text | None
    """Why there is none."""


class ClassEntries(msgspec.Struct):
    """What entering a class would do, student by student."""

    entries: list[ClassEntry]


class EntrantPerson(msgspec.Struct):
    """An owner of an entrant, as the staff of the class sees them."""

    name: str
    real_name: str
    number: str
    section: str


class EntrantPeople(msgspec.Struct):
    """An entrant and its owners: one person, or the members of a team."""

    entrant: str
    bot: int | None
    people: list[EntrantPerson]


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
    note: Literal["", "through", "champion", "dropped", "disqualified"]
    why: str
    """Why it was disqualified; otherwise empty."""


class StandingsInfo(msgspec.Struct):
    """A table of standings."""

    title: Text
    columns: list[StandingsColumn]
    rows: list[StandingsRowInfo]
    through: int | None
    """How many entrants advance to the next stage."""
    scale: Literal["points", "elo"]
    """What the points of its rows are."""
    crossed: bool
    """Whether to show the crosstable of its entrants: few of a bracket have met, two need none,
    and of very many it is unreadable."""


class BracketMatch(msgspec.Struct):
    """A match of a bracket. A player that is null is not known yet; an empty one is a bye."""

    key: str
    title: Text
    a: str | None
    b: str | None
    score: list[float] | None
    winner: str | None
    ending: str | None
    """How it ended: ``played``, ``figure``, ``time``, ``extra`` (extra bouts), ``seat``, ``lot``,
    ``timeout`` or ``walkover``; null: not yet."""
    extra: int
    """How many extra bouts its result counts; while it is played, how many there were so far."""
    decided: Text
    """How the winner of a level match was found ("after 2 extra bouts", "by lot"), or that extra
    bouts are played; otherwise empty."""
    skipped: bool
    films: list[str]
    """The films of its regular bouts."""
    extra_films: list[str]
    """The films of its extra bouts, also of those that count no more because a regular bout was
    judged anew."""


class ShowBout(msgspec.Struct):
    """A finished bout of a contest, for a show."""

    id: int
    film: str
    match: str
    number: int
    round: int
    """Which of the show's rounds it belongs to."""
    names: list[str]
    """By seat, like ``figures``."""
    figures: list[float]
    winner: int | None


class ShowRound(msgspec.Struct):
    """A round of a contest; in a bracket each side has its own."""

    key: str
    title: Text
    """Empty: it has no other name than its number."""
    number: int


class ContestShow(msgspec.Struct):
    """Finished bouts in the order in which they ended, and the rounds that they belong to."""

    rounds: list[ShowRound]
    bouts: list[ShowBout]
    more: bool
    """Whether there are more after these."""


class CrosstableInfo(msgspec.Struct):
    """Results of all entrants against each other."""

    names: list[str]
    """In the order of the standings."""
    points: dict[str, float]
    cells: dict[str, tuple[int, int, int]]
    """By ``row/column``: won, drawn, lost."""
    stopped: list[str]
    """The cells of matches that ended at their time limit, without points for either side."""


class ContestTables(msgspec.Struct):
    """The standings of a contest."""

    tables: list[StandingsInfo]
    standings: StandingsInfo | None
    bracket: list[list[BracketMatch]] | None
    """Column by column."""
    crosstable: CrosstableInfo | None
    """Of all entrants, without the bouts of a knockout; tables show their part of it."""
    copies: Text | None = None
    """A sentence about bouts that are copies of others; null: there are none."""
    over: bool | UnsetType = UNSET
    """Only once the contest has started, like ``round``."""
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
    """A preset: the settings of a real event."""

    name: str
    title: Text
    game: str
    settings: dict[str, Any]


class LadderBot(msgspec.Struct):
    """A bot on a ladder; a house bot has no id."""

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
    copies: int
    """How many of its bouts are copies of others, which do not count in its rating."""
    faults: int
    apart: bool
    """Whether it is clearly separated from the next place."""


class LadderInfo(msgspec.Struct):
    """A game's ladder."""

    game: str
    contest: int | None
    """Its contest; null: no bouts have been played yet."""
    rows: list[LadderRow]
    bouts: int
    copies: Text | None
    """A sentence about bouts that are copies of others; null: there are none."""
    at: str | None


class LadderSummary(msgspec.Struct):
    """A ladder in the list of ladders."""

    game: str
    title: Text
    bots: int
    bouts: int
    leader: LadderRow | None
    """The best bot that has played."""


class RatingPoint(msgspec.Struct):
    """A bot's rating at one time."""

    at: str
    elo: float
    low: float
    high: float
    version: int


class TestedOpponent(PlayerInfo, kw_only=True):
    """An opponent in a batch test, from the point of view of the tested version."""

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
    """Only for a batch test."""
    bouts: list[BoutInfo] | UnsetType = UNSET
    """Only for a single challenge."""


class ChallengePage(msgspec.Struct):
    """A page of challenges and batch tests."""

    items: list[ChallengeInfo]
    next: int | None
