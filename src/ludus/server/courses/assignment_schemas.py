"""API schemas: assignments, submissions and marks."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from ludus.courses.assignment import AssignmentSettings
from ludus.courses.marks import LineKind
from ludus.lang import Text
from ludus.scheduling.schema.assignments import SubmissionState
from ludus.server.records.bout_schemas import BotLink, BoutInfo, VersionLink

AssignmentState = Literal["draft", "planned", "open", "late", "closed", "archived"]
"""``late``: after the deadline, while late work is accepted; ``archived``: its class is."""
MarkStatus = Literal["nothing", "checking", "refused", "queued", "so_far", "graded"]
"""How far the marks of a person are: while they are ``checking`` or ``queued`` (no bout was played
yet) their total says nothing."""
Moment = Annotated[str, msgspec.Meta(max_length=40)]


class ClassLink(msgspec.Struct):
    """Identifies a class."""

    id: int
    name: str


class RivalInfo(msgspec.Struct):
    """A rival as the reader may know it."""

    level: int
    hidden: bool
    points: float
    name: Text | None
    """None: it is not shown yet."""


class MarkLineInfo(msgspec.Struct):
    """One reason for points, with its numbers in a sentence."""

    kind: LineKind
    level: int
    """Of a rival; 0 else."""
    points: float | None
    """None: not known yet, or not shown yet."""
    most: float
    why: Text


class MarksInfo(msgspec.Struct):
    """The marks for a submission."""

    total: float
    most: float
    complete: bool
    """Whether nothing is still to come."""
    lines: list[MarkLineInfo]


class SubmissionInfo(msgspec.Struct):
    """A submission, for those who made it and the staff."""

    id: int
    at: str
    bot: BotLink
    version: VersionLink
    state: SubmissionState
    days_late: int
    played: int
    planned: int
    """Bouts that may be shown."""
    counts: bool
    """Whether its marks are the ones that count so far."""
    marks: MarksInfo | None
    """None while it waits for its check, or if it did not pass it."""
    stopped: Text | None = None
    """Why its bouts are not being played on, if so."""


class ExtensionInfo(msgspec.Struct):
    """A later deadline for one student."""

    deadline: str
    reason: str


class OwnWork(msgspec.Struct):
    """The work of one student: what they have so far, and why."""

    marks: MarksInfo
    submissions: list[SubmissionInfo]
    """Newest first."""
    comment: str
    override: float | None
    reason: str
    attempts_left: int | None
    """Submissions left today; None: any number."""
    extension: ExtensionInfo | None
    """A deadline of this student alone."""


class AssignmentInfo(msgspec.Struct, kw_only=True):
    """An assignment."""

    id: int
    group: ClassLink
    title: str
    about: str
    game: str
    state: AssignmentState
    opens: str | None
    deadline: str
    closes: str
    reveals: str
    revealed: bool
    """Whether hidden rivals are shown by now."""
    most: float
    mine: bool
    """Whether one belongs to the staff of its class."""
    submitted: bool
    """Whether one has handed in something that the check did not refuse."""
    points: float | None = None
    """One's own so far."""


class AssignmentDetail(AssignmentInfo, kw_only=True):
    """An assignment with its rule and one's own work."""

    bouts: int
    rivals: list[RivalInfo]
    rule: list[Text]
    """The grading rule in sentences, as students read it now."""
    options: dict[str, Any]
    openings: str
    settings: AssignmentSettings | UnsetType = UNSET
    """For the staff."""
    handed_in: int | UnsetType = UNSET
    """How many submissions there are, for the staff: with any, it can be neither deleted nor hidden
    from the class again."""
    published: bool
    late: Text | None = None
    """What handing in now costs, because it is late, and which submission counts then."""
    work: OwnWork | UnsetType = UNSET
    """One's own, if one has handed in something or is a student of the class."""


class RulePreview(msgspec.Struct):
    """A grading rule as it would be."""

    rule: list[Text]
    most: float
    bouts: int
    """For each submission."""


class ScoreCell(msgspec.Struct):
    """A student against a rival."""

    level: int
    points: float | None
    score: float
    bouts: int
    faults: int
    low: float
    high: float


class StudentMarks(msgspec.Struct, kw_only=True):
    """A line of the marks of a class."""

    user: int
    name: str
    shown: str
    number: str
    section: str
    submission: int | None
    """The one that counts; None: nothing was handed in."""
    submissions: int
    waiting: int
    """Submissions whose versions are being checked."""
    status: MarkStatus
    at: str | None
    days_late: int
    extension: ExtensionInfo | None
    rivals: list[ScoreCell]
    no_fault: float | None
    late: float
    ladder: float | None
    manual: dict[str, float]
    comment: str
    override: float | None
    reason: str
    computed: float
    total: float
    complete: bool


class GradingProgress(msgspec.Struct):
    """Bouts of gradings under way."""

    played: int
    planned: int


class MarkBookInfo(msgspec.Struct, kw_only=True):
    """The marks of a class."""

    assignment: AssignmentInfo
    bouts: int
    """Against each rival."""
    levels: list[RivalInfo]
    manual: list[str]
    rubrics: list[str]
    manual_points: list[float]
    has_no_fault: bool
    has_ladder: bool
    students: list[StudentMarks]
    changed: int
    """Bouts that ended otherwise when they were played again, in the last regrade."""
    replayed: int
    """Bouts that were played again in the last regrade."""
    progress: GradingProgress | None
    """None: nothing is being graded."""


class SubmissionBouts(msgspec.Struct):
    """The bouts of a submission that one may see."""

    bouts: list[BoutInfo]
    levels: dict[str, int]
    """The level of each rival by the name that it has in the bouts."""
