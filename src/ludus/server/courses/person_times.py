"""Until when each student may hand in: with the class, or later if a teacher has allowed it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.courses.assignment import AssignmentSettings
from ludus.courses.marks import late_days
from ludus.scheduling.schema import AssignmentRow, DeadlineExtensionRow
from ludus.timestamps import format_utc


class PersonTimes(msgspec.Struct, frozen=True):
    """The deadline of a student, and when nothing of theirs is accepted any more."""

    deadline: str
    closes: str


def add_days(moment: str, days: int) -> str:
    """So many days after a stored time."""
    return format_utc(datetime.fromisoformat(moment).astimezone(UTC) + timedelta(days=days))


def count_days_late(moment: str, deadline: str) -> int:
    """The days between a deadline and a later stored time that have begun; 0 for an earlier one."""
    return late_days(_seconds(moment), _seconds(deadline))


def _seconds(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp()


def find_times(assignment: AssignmentRow, extension: DeadlineExtensionRow | None) -> PersonTimes:
    """The times of a student with an extension, or of one without. An extension that ends before
    the deadline of the class has no effect."""
    if extension is None or extension.deadline <= assignment.deadline:
        return PersonTimes(assignment.deadline, assignment.closes_at)
    days = msgspec.convert(assignment.settings, AssignmentSettings).late.days
    return PersonTimes(extension.deadline, add_days(extension.deadline, days))


def load_times(session: Session, assignment: AssignmentRow, user_id: int) -> PersonTimes:
    return find_times(assignment, session.get(DeadlineExtensionRow, (assignment.id, user_id)))


def load_extensions(session: Session, assignment_id: int) -> dict[int, DeadlineExtensionRow]:
    """By user id."""
    query = sql.select(DeadlineExtensionRow).where(
        DeadlineExtensionRow.assignment_id == assignment_id
    )
    return {row.user_id: row for row in session.scalars(query)}


def find_last_closing(session: Session, assignment: AssignmentRow) -> str:
    """When the last student of the class can no longer hand in."""
    extended = load_extensions(session, assignment.id).values()
    return max(
        (find_times(assignment, each).closes for each in extended), default=assignment.closes_at
    )
