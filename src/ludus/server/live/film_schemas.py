"""API schemas: films, and bouts in lists."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

import msgspec
from msgspec import UNSET, UnsetType

from ludus.bots.players.base import PlayerUsage
from ludus.games.base import Clock
from ludus.lang import Text
from ludus.sandbox.bot_fault import FaultKind
from ludus.server.error_schema import ErrorDetail
from ludus.server.live.board_schemas import BoardEvent, BoardFrame, BoardScene, FrameChanges

FilmKind = Literal["record", "live", "room", "file"]


class GameTitle(msgspec.Struct):
    """Which game."""

    name: str
    title: Text


class FilmGame(msgspec.Struct):
    """The game of a film."""

    name: str
    title: Text
    seats: list[Text]
    hidden: bool
    """Whether seats must not see the whole position."""


class FilmPlayer(msgspec.Struct):
    """Who sits on a seat."""

    name: str
    human: bool
    digest: str | UnsetType = UNSET
    """SHA-256 of the program; in films, like ``isolation``."""
    isolation: str | UnsetType = UNSET


class MatchPlace(msgspec.Struct):
    """Which bout of a match, with its neighbours as far as they are known."""

    id: str
    number: int
    """Counts from 1."""
    of: int | UnsetType | None = UNSET
    previous: str | UnsetType | None = UNSET
    next: str | UnsetType | None = UNSET


class SeatFaultInfo(msgspec.Struct):
    """Why a seat was stopped, as the public may see it."""

    seat: int
    kind: FaultKind
    why: Text
    move: str | UnsetType = UNSET


class BoutEnd(msgspec.Struct):
    """How a bout ended."""

    scores: list[float]
    winner: int | None
    reason: str
    why: Text
    faults: list[SeatFaultInfo]
    usage: list[PlayerUsage | None] | UnsetType = UNSET
    """What seats used whose players are services elsewhere, such as language models."""


class StepWords(TypedDict):
    """A step in words: who did something, and what."""

    seat: int
    text: Text


class FilmStep(msgspec.Struct):
    """What one step changed."""

    moves: dict[str, str]
    """By seat, in readable notation."""
    cpu: dict[str, float]
    """Seconds by seat, like ``wall``."""
    wall: dict[str, float]
    cells: dict[str, list[tuple[int, str]]]
    """By layer: cells and what lies on them now."""
    set: FrameChanges
    events: list[BoardEvent]
    log: list[tuple[int, bool, str]] | UnsetType = UNSET
    """What was said: the seat, whether the text was sent to it (not by it), the text."""
    display: Any = UNSET
    """What the game's judge shows of the position: any JSON value, left out if nothing."""
    left: list[float] | UnsetType = UNSET
    """Seconds left for each seat, where clocks are shown."""
    opening: bool | UnsetType = UNSET
    """True for a step of the opening, whose moves were given."""
    told: StepWords | UnsetType = UNSET
    """What everybody may know of the step, where the game says it in words."""


class FilmRights(msgspec.Struct, rename={"go_on": "continue"}):
    """What may be done with a film."""

    go_on: bool
    """Play on from one of its positions."""
    practise: bool
    """Take moves back, stop the clock."""


class FilmInfo(msgspec.Struct):
    """A bout as the page shows it: a first frame and the changes of every step."""

    id: str
    kind: FilmKind
    game: FilmGame
    version: int
    """Of the game's rules."""
    options: dict[str, Any]
    seed: int | None
    players: list[FilmPlayer]
    clock: Clock | None
    began: str | None
    match: MatchPlace | None
    seat: int | None
    """The seat from which it is seen, in a game with hidden information; null: as a spectator."""
    scene: BoardScene
    key: BoardFrame
    steps: list[FilmStep]
    end: BoutEnd | None
    can: FilmRights


class BoutSummary(msgspec.Struct):
    """A short description of a bout, for lists."""

    id: str
    kind: FilmKind
    game: GameTitle
    players: list[FilmPlayer]
    step: int
    to_move: list[int]
    end: BoutEnd | None
    began: str | None
    match: MatchPlace | None
    demo: bool | UnsetType = UNSET
    """Whether a bout under way is a demo of house bots."""
    thumb: BoardFrame | UnsetType = UNSET
    """Of a bout under way: the board now, if it is not too large; with its ``scene``."""
    scene: BoardScene | UnsetType = UNSET
    file: str | UnsetType = UNSET
    """Of an opened file: its name."""


class SummaryPage(msgspec.Struct):
    """A page of saved bouts."""

    items: list[BoutSummary]
    next: str | None


class SharedFilm(msgspec.Struct):
    """A bout of a demo that is saved, at the latest at its end."""

    film: str
    """The id under which it can be watched."""


class FileError(msgspec.Struct):
    """A file that could not be read, and why."""

    file: str
    error: ErrorDetail


class OpenedFilms(msgspec.Struct):
    """The results of opening files."""

    films: list[BoutSummary]
    errors: list[FileError]
