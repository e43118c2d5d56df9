"""What was handed in for an assignment, as a zip for Dolos or JPlag.

Handing in gives the staff of the class the right to read that code; no other code is exported.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.games.base import Game
from ludus.scheduling.schema import (
    AssignmentRow,
    SubmissionPersonRow,
    SubmissionRow,
    VersionFilesRow,
)
from ludus.server.accounts.identity import Identity
from ludus.server.bots.similarity import SUFFIXES
from ludus.server.bots.upload import Files, unpack_files
from ludus.server.courses.students import Student, list_students
from ludus.server.integrity import base_code

Tool = Literal["dolos", "jplag"]
README: dict[Tool, str] = {
    "dolos": "dolos run -f web -l LANGUAGE THIS.zip\n",
    "jplag": "java -jar jplag.jar -l LANGUAGE -bc base submissions\n",
}
"""How each tool reads the zip."""


@dataclass(frozen=True, slots=True)
class HandedIn:
    """The newest submission of a person or a team."""

    folder: str
    full_name: str
    section: str
    at: str
    files: Files


def export_code(
    session: Session, identity: Identity, game: Game, assignment: AssignmentRow, tool: Tool
) -> bytes:
    """A zip with the newest submission of everyone, and for JPlag with the code they were given."""
    target = io.BytesIO()
    works = list(_iter_works(session, assignment))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as box:
        prefix = "submissions/" if tool == "jplag" else ""
        for work in works:
            for name, data in work.files.items():
                box.writestr(f"{prefix}{work.folder}/{name}", data)
        if tool == "dolos":
            box.writestr("info.csv", _make_info(works))
        else:
            for name, data in base_code.read_base_files(session, identity, game).items():
                box.writestr(f"base/{name}", data)
            box.writestr("README.txt", README[tool])
    return target.getvalue()


def _iter_works(session: Session, assignment: AssignmentRow) -> Iterator[HandedIn]:
    students = {each.id: each for each in list_students(session, assignment.group_id)}
    newest = (
        sql.select(sql.func.max(SubmissionRow.id))
        .where(SubmissionRow.assignment_id == assignment.id)
        .group_by(SubmissionRow.owner)
    )
    query = (
        sql.select(SubmissionRow, VersionFilesRow.data)
        .join(VersionFilesRow, VersionFilesRow.version_id == SubmissionRow.version_id)
        .where(SubmissionRow.id.in_(newest))
        .order_by(SubmissionRow.id)
    )
    for row, data in session.execute(query.execution_options(yield_per=10)):
        people = [students[id] for id in _list_people(session, row.id) if id in students]
        if people:
            yield _describe(row, people, unpack_files(data))


def _list_people(session: Session, submission_id: int) -> list[int]:
    query = sql.select(SubmissionPersonRow.user_id).where(
        SubmissionPersonRow.submission_id == submission_id
    )
    return sorted(session.scalars(query))


def _describe(row: SubmissionRow, people: list[Student], files: Files) -> HandedIn:
    """Folders are named by student numbers, else accounts, and the id of the submission."""
    who = re.sub(r"[^-+.\w]", "_", "+".join(each.number or each.name for each in people))
    return HandedIn(
        folder=f"{who[:80]}-{row.id}",
        full_name=", ".join(each.full_name for each in people),
        section=people[0].section,
        at=row.created_at,
        files={name: data for name, data in files.items() if name.endswith(SUFFIXES)},
    )


def _make_info(works: list[HandedIn]) -> str:
    """The table in which Dolos looks for names, labels and times."""
    target = io.StringIO()
    writer = csv.writer(target)
    writer.writerow(["filename", "full_name", "label", "created_at"])
    for work in works:
        for name in work.files:
            writer.writerow([f"{work.folder}/{name}", work.full_name, work.section, work.at])
    return target.getvalue()
