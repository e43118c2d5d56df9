"""API schemas: administration and health."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from ludus.server.accounts.account_schemas import UserInfo
from ludus.server.contests.contest_schemas import LadderSummary
from ludus.server.records.bout_schemas import BoutInfo


class HealthReport(msgspec.Struct):
    """Whether all checks passed, and each check's result: ``ok`` or what is wrong."""

    ok: bool
    checks: dict[str, str]


class ChangedUser(msgspec.Struct):
    """An account after a change by the organiser."""

    user: UserInfo
    code: str | UnsetType = UNSET
    """The one-time code for a new password, if one was requested."""
    activates: bool = False
    """Whether the account has no password yet: the code belongs in a login link."""


class AuditLine(msgspec.Struct):
    """An action of the staff."""

    id: int
    at: str
    who: str
    what: str
    detail: dict[str, Any]


class AuditPage(msgspec.Struct):
    """A page of the audit log."""

    items: list[AuditLine]
    next: int | None


class QueueLengths(msgspec.Struct):
    """Versions waiting for their check, and contests, ladders and challenges under way."""

    checks: int
    contests: int


class WorkerUse(msgspec.Struct):
    """The background process and its workers."""

    places: int
    busy: int
    alive: bool
    starting: bool
    """Whether the process was started a moment ago and has yet to report."""
    trouble: str
    """Empty if there is none."""


class MachineLoad(msgspec.Struct):
    """Load averages over 1, 5 and 15 minutes."""

    average: list[float]
    cores: int | None


class DiskUse(msgspec.Struct):
    """Sizes in bytes."""

    free: int
    total: int
    database: int


class SiteCounts(msgspec.Struct):
    """Numbers of accounts, bots and so on."""

    users: int
    bots: int
    versions: int
    bouts: int


class SiteOverview(msgspec.Struct):
    """The state of the site."""

    queue: QueueLengths
    workers: WorkerUse
    load: MachineLoad
    storage: DiskUse
    counts: SiteCounts
    bouts_per_hour: int
    faults: list[BoutInfo]
    """The newest bouts that ended by a fault."""
    ladders: list[LadderSummary]


class AnnouncedTo(msgspec.Struct):
    """How many people were notified."""

    people: int
