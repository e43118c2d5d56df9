"""API schemas: bots, their versions and starter kits."""

from __future__ import annotations

import msgspec

from ludus.lang import Text
from ludus.server.bots.check_result import VersionCheckResult
from ludus.server.records.bout_schemas import OwnerInfo
from ludus.server.vocabulary import MadeWith, VersionState


class VersionInfo(msgspec.Struct):
    """A version of a bot."""

    id: int
    bot: int
    number: int
    at: str
    size: int
    digest: str
    language: str
    state: VersionState
    remark: str
    """Shown to its owner only, like ``check``."""
    made_with: MadeWith
    """How its owner says that it was made; shown to its owner only."""
    check: VersionCheckResult | None
    on_ladder: bool
    commit: str = ""
    """The commit that it was made from, for its owner."""


class FreeName(msgspec.Struct):
    """A name that a new bot may have."""

    name: str


class VersionProgress(msgspec.Struct):
    """How far the check of a version is."""

    bout: int
    """The bout under way, from 1."""
    bouts: int
    """How many will be played if no bout goes wrong."""
    title: Text
    cpu_s: float
    """CPU seconds that the bot has used in this bout."""
    limit_s: float
    """Its clock in this bout."""
    elapsed_s: float
    """Seconds since the first bout began."""


class BotInfo(msgspec.Struct):
    """A bot; its owner gets all its versions, others that of the ladder."""

    id: int
    name: str
    game: str
    language: str
    owner: OwnerInfo
    mine: bool
    versions: list[VersionInfo]
    current: int | None
    """The version that plays on the ladder."""
    about: str
    retired: bool
    made: str
    public_notes: bool
    """Whether everyone may read what it says about its moves."""
    private: bool = False
    """Whether only its owners and admins know of it."""


class BotPage(msgspec.Struct):
    """A page of bots."""

    items: list[BotInfo]
    next: int | None


class StorageUse(msgspec.Struct):
    """Bytes of a person's versions, and the limit."""

    used: int
    most: int


class StarterKit(msgspec.Struct):
    """A program that a new bot may start from."""

    name: str
    """The key of the language."""
    dialect: str
    label: str
    template: dict[str, str]
    """Texts by file name."""


class StarterKits(msgspec.Struct):
    """The starter kits of a game."""

    languages: list[StarterKit]
