"""API schemas: the server and its games."""

from __future__ import annotations

from typing import Any

import msgspec

from ludus.games.base import Clock
from ludus.lang import Text


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


class GameTable(msgspec.Struct):
    """A number of players: what the game is called for them, and their seats."""

    name: str
    seats: list[Text]


class HouseBotInfo(msgspec.Struct):
    """A bot that anybody may play against."""

    name: str
    description: Text


class GameInfo(msgspec.Struct):
    """A game with its options, its clock and its house bots."""

    name: str
    title: Text
    seats: list[Text]
    hidden: bool
    version: int
    options: list[GameOption]
    clock: Clock
    practice: bool
    """Whether moves can be taken back and the clock can be stopped."""
    tables: list[GameTable]
    bots: list[HouseBotInfo]
