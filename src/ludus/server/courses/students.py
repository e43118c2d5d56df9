"""The students of a class, with what its roster says of them."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.scheduling.schema import GroupMemberRow, UserRow


@dataclass(frozen=True, slots=True)
class Student:
    """A student of a class."""

    id: int
    name: str
    """The name of the account."""
    shown: str
    """What they want to be called."""
    number: str = ""
    real_name: str = ""
    section: str = ""

    @property
    def full_name(self) -> str:
        return self.real_name or self.shown or self.name


def list_students(session: Session, group_id: int) -> list[Student]:
    """By student number, then by name."""
    query = (
        sql.select(UserRow, GroupMemberRow)
        .join(GroupMemberRow, GroupMemberRow.user_id == UserRow.id)
        .where(GroupMemberRow.group_id == group_id, GroupMemberRow.role == "student")
    )
    found = [
        Student(
            user.id,
            user.name,
            user.display_name,
            member.student_number,
            member.real_name,
            member.section,
        )
        for user, member in session.execute(query)
    ]
    return sorted(found, key=lambda student: (student.number, student.name))
