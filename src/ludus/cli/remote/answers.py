"""The server's replies, as far as ``ludus remote`` reads them; anything else is refused."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ludus.findings import Finding
from ludus.lang import Text, tr


class TextReply(msgspec.Struct):
    """A text in both languages; ``str`` gives the user's."""

    en: str
    zh: str

    def __str__(self) -> str:
        return tr(self.en, self.zh)


class CodedTextReply(TextReply):
    """What went wrong, for people and for programs."""

    code: str = ""
    """Empty from a server that is older than codes."""


class RemoteRefusal(msgspec.Struct):
    """An error reply with its reason."""

    error: CodedTextReply


class NamedReply(msgspec.Struct):
    """A person or thing with a name."""

    name: str


class MeReply(msgspec.Struct):
    """The reply of ``/api/me``."""

    user: NamedReply | None


class GameReply(msgspec.Struct):
    """The reply of ``/api/games/…``: the house bots."""

    bots: list[NamedReply]


class FaultReply(msgspec.Struct):
    """A fault of a seat in a bout."""

    kind: str


class PlayerReply(msgspec.Struct):
    """A bot on a seat of a bout."""

    name: str
    score: float = 0.0
    fault: FaultReply | None = None


class BoutReply(msgspec.Struct):
    """A played bout."""

    film: str
    at: str = ""
    players: list[PlayerReply] = []


class BoutPageReply(msgspec.Struct):
    """A page of a list of bouts."""

    items: list[BoutReply]


class ChallengeReply(msgspec.Struct):
    """The reply of ``/api/challenges/…``."""

    id: int
    state: str
    players: list[NamedReply]
    score: list[float]
    bouts: list[BoutReply] = []


class VersionNumberReply(msgspec.Struct):
    """A finding of a version's check."""

    number: int


class CheckedBoutReply(msgspec.Struct):
    """A bout of a check."""

    title: Text


class CheckReply(msgspec.Struct):
    """The result of a version's check."""

    findings: list[Finding] = []
    bouts: list[CheckedBoutReply] = []
    """The bouts to which findings refer by number."""
    stderr: str = ""


class VersionReply(msgspec.Struct):
    """The reply of ``/api/versions/…``."""

    id: int
    number: int
    state: Literal["checking", "good", "refused"]
    check: CheckReply | None = None


class MarkLineReply(msgspec.Struct):
    """A reason for points."""

    points: float | None
    most: float
    why: TextReply


class MarksReply(msgspec.Struct):
    """The points of a submission."""

    total: float
    most: float
    lines: list[MarkLineReply]


class SubmissionReply(msgspec.Struct):
    """A version that was handed in."""

    id: int
    state: Literal["waiting", "grading", "refused"]
    played: int
    planned: int
    marks: MarksReply | None = None
    stopped: TextReply | None = None


class WorkReply(msgspec.Struct):
    """What one has handed in, the newest first."""

    submissions: Annotated[list[SubmissionReply], msgspec.Meta(min_length=1)]


class AssignmentReply(msgspec.Struct):
    """An assignment with one's own work."""

    title: str
    work: WorkReply
    late: TextReply | None = None
    """What being late costs."""


class NewBotReply(msgspec.Struct):
    """A bot that was created with its first version."""

    versions: Annotated[list[VersionReply], msgspec.Meta(min_length=1)]


class BotReply(msgspec.Struct):
    """A bot as a server describes it."""

    id: int
    name: str


class BotPageReply(msgspec.Struct):
    """The reply of ``/api/bots``; ``next`` leads to older ones."""

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
    """The reply of ``/api/ladders/…``."""

    rows: list[LadderRowReply]


class LiveBoutReply(msgspec.Struct):
    """The reply of ``/api/live``."""

    id: str
