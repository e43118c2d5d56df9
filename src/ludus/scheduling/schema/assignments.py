"""Assignments of a class: what was submitted, where it is graded, and what teachers added."""

from __future__ import annotations

from typing import Any, Literal

from sqlalchemy import JSON, Boolean, Float, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ludus.scheduling.schema.base import TIME, Base

SubmissionState = Literal["waiting", "grading", "refused"]
"""``waiting``: for the check of its version; ``grading``: its bouts are planned, being played or
played; ``refused``: its version did not pass the check."""


class AssignmentRow(Base):
    """An assignment of a class."""

    __tablename__ = "assignments"

    id: Mapped[int] = mapped_column(primary_key=True)
    group_id: Mapped[int] = mapped_column(ForeignKey("groups.id"), index=True)
    author_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    title: Mapped[str] = mapped_column(String(100))
    description: Mapped[str] = mapped_column(Text, default="")
    settings: Mapped[dict[str, Any]] = mapped_column(JSON)
    """For ``ludus.courses.assignment.AssignmentSettings``."""
    published: Mapped[bool] = mapped_column(Boolean, default=False)
    """Whether the class sees it."""
    opens_at: Mapped[str | None] = mapped_column(TIME)
    deadline: Mapped[str] = mapped_column(TIME)
    closes_at: Mapped[str] = mapped_column(TIME)
    """The deadline and the days of the late rule; nothing is accepted afterwards."""
    reveals_at: Mapped[str] = mapped_column(TIME)
    """When hidden rivals and their bouts are shown; never before ``closes_at``."""
    ladder_places: Mapped[dict[str, int] | None] = mapped_column(JSON(none_as_null=True))
    """The places on the ladder at ``closes_at``, by user id; None until then."""
    created_at: Mapped[str] = mapped_column(TIME)


class SubmissionRow(Base):
    """A version that was handed in for an assignment."""

    __tablename__ = "submissions"
    __table_args__ = (Index(None, "assignment_id", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignments.id"))
    author_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    owner: Mapped[str] = mapped_column(String(20))
    """``u`` and a person's id, or ``t`` and a team's: equal code of one owner is graded once."""
    version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"))
    digest: Mapped[str] = mapped_column(String(64))
    """Of the version's code."""
    state: Mapped[SubmissionState] = mapped_column(String(10), index=True)
    created_at: Mapped[str] = mapped_column(TIME)


class SubmissionPersonRow(Base):
    """A person for whom a submission counts: its author, or a member of the bot's team then."""

    __tablename__ = "submission_people"

    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True, index=True)


class GradingRow(Base):
    """The contest in which a code meets the public or the hidden rivals of an assignment.

    Its key is unique, so that a code is planned only once.
    """

    __tablename__ = "gradings"
    __table_args__ = (
        UniqueConstraint(
            *("assignment_id", "owner", "digest", "deal", "part", "round"),
            name="one_grading_of_a_code",
        ),
    )

    contest_id: Mapped[int] = mapped_column(ForeignKey("contests.id"), primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignments.id"))
    owner: Mapped[str] = mapped_column(String(20))
    digest: Mapped[str] = mapped_column(String(64))
    deal: Mapped[str] = mapped_column(String(32))
    """A digest of all settings that decide which bouts are played."""
    part: Mapped[str] = mapped_column(String(10))
    """``public`` or ``hidden``."""
    round: Mapped[int] = mapped_column(default=0)
    """Counts up when a teacher has the bouts played again."""


class DeadlineExtensionRow(Base):
    """A later deadline for one student."""

    __tablename__ = "deadline_extensions"

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignments.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True)
    deadline: Mapped[str] = mapped_column(TIME)
    reason: Mapped[str] = mapped_column(Text)
    author_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    changed_at: Mapped[str] = mapped_column(TIME)


class PersonMarkRow(Base):
    """What a teacher added to the marks of a person."""

    __tablename__ = "person_marks"

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignments.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True)
    manual: Mapped[dict[str, float]] = mapped_column(JSON)
    """Points by the title of the part."""
    comment: Mapped[str] = mapped_column(Text, default="")
    override: Mapped[float | None] = mapped_column(Float)
    """The total that counts in place of the computed one."""
    reason: Mapped[str] = mapped_column(Text, default="")
    """Why there is an override."""
    author_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    changed_at: Mapped[str] = mapped_column(TIME)
