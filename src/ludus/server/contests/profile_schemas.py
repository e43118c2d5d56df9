"""API schemas: the public page of a person."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from ludus.server.accounts.account_schemas import UserInfo
from ludus.server.bots.bot_schemas import BotInfo, StorageUse
from ludus.server.contests.contest_schemas import RatingPoint
from ludus.server.records.bout_schemas import BotLink, BoutInfo


class GameRating(msgspec.Struct):
    """The best bot of a person on the ladder of one game."""

    game: str
    bot: BotLink
    elo: float
    low: float
    high: float
    place: int
    of: int
    """How many bots the ladder has."""
    history: list[RatingPoint]


class BestWin(msgspec.Struct):
    """A bout in which a bot of the person beat a highly rated one."""

    rival: str
    elo: float
    """What the rival is rated now."""
    bout: BoutInfo


class UserProfile(msgspec.Struct):
    """A person's public page."""

    user: UserInfo
    bots: list[BotInfo]
    bouts: list[BoutInfo]
    ratings: list[GameRating]
    """By game, the highest rating first."""
    wins: list[BestWin]
    """The highest rated rival first."""
    storage: StorageUse | UnsetType = UNSET
    """Shown to the person and to the organiser."""
