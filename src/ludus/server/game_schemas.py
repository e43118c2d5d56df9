"""API schemas: the server and its games."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from ludus.games.base import BotLevel, Clock
from ludus.lang import Text
from ludus.server.live.board_schemas import BoardFrame, BoardScene
from ludus.server.live.film_schemas import FilmStep


class ServerInfo(msgspec.Struct):
    """The server: its version and language, whether demos run and who can reach it."""

    version: str
    language: str
    demo: bool
    loopback: bool


class GameOption(msgspec.Struct):
    """A setting of a game's rules."""

    name: str
    type: str
    default: Any
    low: float | None
    high: float | None
    choices: list[str] | None
    help: Text
    title: Text
    value_names: dict[str, Text]
    """Choices and other values that have a name, in words."""


class GameTable(msgspec.Struct):
    """A number of players: what the game is called for them, and their seats."""

    name: str
    seats: list[Text]


class HouseBotInfo(msgspec.Struct):
    """A bot that anybody may play against."""

    name: str
    title: Text
    """What people call it, where they choose an opponent."""
    description: Text
    level: BotLevel | None = None
    """How strong it is, where the game says so."""


class GameInfo(msgspec.Struct):
    """A game with its options, its clock and its house bots."""

    name: str
    title: Text
    about: Text
    """What the game is, in a sentence or two; empty if its package does not say."""
    seats: list[Text]
    hidden: bool
    version: int
    options: list[GameOption]
    clock: Clock
    practice: bool
    """Whether moves can be taken back and the clock can be stopped."""
    casual: dict[str, Any]
    """Options that suit a bout with people, where the defaults are for bots."""
    implied: dict[str, dict[str, dict[str, Any]]]
    """What options mean that leave a question to another one: the other option, each of its values,
    option, value."""
    tables: list[GameTable]
    bots: list[HouseBotInfo]


class GuideBoard(msgspec.Struct):
    """A position that explains something: a film of the last moves that lead to it."""

    name: str
    caption: Text
    scene: BoardScene
    key: BoardFrame
    steps: list[FilmStep]


class GuideVariantInfo(msgspec.Struct):
    """Options of a game that people know as a game of its own."""

    title: Text
    about: Text
    options: dict[str, Any]
    board: GuideBoard | None


class GuideOpenings(msgspec.Struct):
    """How bouts between bots begin."""

    kind: Literal["start", "seed", "random", "suite"]
    """Always from the start position, differently with every seed, with random moves, or with one
    of a list of openings."""
    count: int
    """Of a list: how many, 0 if it cannot be read; of random moves: how many at the start of a
    bout; else 0."""
    samples: list[GuideBoard]


class GameGuideInfo(msgspec.Struct):
    """What people read about a game. Texts are Markdown; ``![](name)`` stands for a board."""

    game: str
    about: Text
    rules: Text
    notation: Text
    bots: Text
    boards: list[GuideBoard]
    variants: list[GuideVariantInfo]
    openings: GuideOpenings
