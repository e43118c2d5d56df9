"""What the API says to those who look after the server."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from ludus.server.accounts.account_schemas import UserInfo
from ludus.server.bots.bot_schemas import OwnerInfo
from ludus.server.contests.contest_schemas import LadderSummary
from ludus.server.records.bout_schemas import BotLink, BoutInfo, VersionLink


class HealthReport(msgspec.Struct):
    """Whether all is well, and what each check says: ``ok`` or what is wrong."""

    ok: bool
    checks: dict[str, str]


class ChangedUser(msgspec.Struct):
    """A person after a change by the organiser."""

    user: UserInfo
    code: str | UnsetType = UNSET
    """To choose a new password with, if one was asked for."""


class AuditLine(msgspec.Struct):
    """Something that the staff did."""

    id: int
    at: str
    who: str
    what: str
    detail: dict[str, Any]


class AuditPage(msgspec.Struct):
    """A page of what the staff did."""

    items: list[AuditLine]
    next: int | None


class QueueLengths(msgspec.Struct):
    """Versions to be checked, and contests, ladders and challenges under way."""

    checks: int
    contests: int


class WorkerUse(msgspec.Struct):
    """The background process and its places for bouts."""

    places: int
    busy: int
    alive: bool
    trouble: str
    """Empty: all is well."""


class MachineLoad(msgspec.Struct):
    """Load averages of 1, 5 and 15 minutes."""

    average: list[float]
    cores: int | None


class DiskUse(msgspec.Struct):
    """Bytes."""

    free: int
    total: int
    database: int


class SiteCounts(msgspec.Struct):
    """How many there are."""

    users: int
    bots: int
    versions: int
    bouts: int


class SiteOverview(msgspec.Struct):
    """The state of everything."""

    queue: QueueLengths
    workers: WorkerUse
    load: MachineLoad
    storage: DiskUse
    counts: SiteCounts
    bouts_per_hour: int
    faults: list[BoutInfo]
    """The newest bouts that ended by one."""
    ladders: list[LadderSummary]


class Submission(msgspec.Struct):
    """A version that somebody handed in."""

    version: VersionLink
    bot: BotLink
    owner: OwnerInfo


class SimilarSubmissions(msgspec.Struct):
    """Two submissions that look alike."""

    a: Submission
    b: Submission
    share: float
    where: list[tuple[str, int, str, int]]
    """File and line of the one, file and line of the other."""


class AnnouncedTo(msgspec.Struct):
    """How many people were told."""

    people: int
