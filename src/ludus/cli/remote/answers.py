"""What an arena answers, as far as ``ludus remote`` reads it; whatever else comes is refused."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ludus.findings import Finding
from ludus.lang import Text, tr


class TextReply(msgspec.Struct):
    """Words in both languages; as a string, in the reader's."""

    en: str
    zh: str

    def __str__(self) -> str:
        return tr(self.en, self.zh)


class RemoteRefusal(msgspec.Struct):
    """Why something was not done."""

    error: TextReply


class NamedReply(msgspec.Struct):
    """Somebody or something with a name."""

    name: str


class MeReply(msgspec.Struct):
    """Of ``/api/me``."""

    user: NamedReply | None


class GameReply(msgspec.Struct):
    """Of ``/api/games/…``: the house bots."""

    bots: list[NamedReply]


class FaultReply(msgspec.Struct):
    """What a seat did wrong in a bout."""

    kind: str


class PlayerReply(msgspec.Struct):
    """Who sat in a bout."""

    name: str
    score: float = 0.0
    fault: FaultReply | None = None


class BoutReply(msgspec.Struct):
    """One that was played."""

    film: str
    at: str = ""
    players: list[PlayerReply] = []


class BoutPageReply(msgspec.Struct):
    """A page of a list of bouts."""

    items: list[BoutReply]


class ChallengeReply(msgspec.Struct):
    """Of ``/api/challenges/…``."""

    id: int
    state: str
    players: list[NamedReply]
    score: list[float]
    bouts: list[BoutReply] = []


class VersionNumberReply(msgspec.Struct):
    """Of a version."""

    number: int


class CheckedBoutReply(msgspec.Struct):
    """A bout of a check."""

    title: Text


class CheckReply(msgspec.Struct):
    """What the check of a version found."""

    findings: list[Finding] = []
    bouts: list[CheckedBoutReply] = []
    """Those that the findings name by their numbers."""
    stderr: str = ""


class VersionReply(msgspec.Struct):
    """Of ``/api/versions/…``."""

    id: int
    number: int
    state: Literal["checking", "good", "refused"]
    check: CheckReply | None = None


class NewBotReply(msgspec.Struct):
    """One that was made with its first version."""

    versions: Annotated[list[VersionReply], msgspec.Meta(min_length=1)]


class BotReply(msgspec.Struct):
    """A bot as a server describes it."""

    id: int
    name: str


class BotPageReply(msgspec.Struct):
    """Of ``/api/bots``; ``next`` leads to older ones."""

    items: list[BotReply]
    next: int | None


class LadderBotReply(msgspec.Struct):
    """A bot in a row of a ladder."""

    name: str
    owner: NamedReply


class LadderRowReply(msgspec.Struct):
    """A row of a ladder."""

    place: int
    bot: LadderBotReply
    version: VersionNumberReply | None
    elo: float
    low: float
    high: float
    bouts: int


class LadderReply(msgspec.Struct):
    """Of ``/api/ladders/…``."""

    rows: list[LadderRowReply]


class LiveBoutReply(msgspec.Struct):
    """Of ``/api/live``."""

    id: str
