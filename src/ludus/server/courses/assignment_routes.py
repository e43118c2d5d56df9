"""Assignments over HTTP, and what teachers do with them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from litestar import Response, delete, get, patch, post, put
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from sqlalchemy.orm import Session

from ludus.courses.assignment import MAX_POINTS, AssignmentSettings
from ludus.courses.sheet_writer import XLSX_MEDIA_TYPE, write_csv, write_xlsx
from ludus.scheduling.schema import AssignmentRow
from ludus.server.accounts.auth import InjectedIdentity
from ludus.server.accounts.identity import ADMIN, READ
from ludus.server.courses import (
    assignment_views,
    assignments,
    extensions,
    mark_exports,
    person_marks,
)
from ludus.server.courses.assignment_schemas import (
    AssignmentDetail,
    AssignmentInfo,
    MarkBookInfo,
    Moment,
    OwnWork,
    RulePreview,
)
from ludus.server.courses.mark_book import MarkBook
from ludus.server.courses.rivals import name_rivals
from ludus.server.courses.students import list_students
from ludus.server.services import InjectedBackground, InjectedDatabase
from ludus.server.web.public_routes import make_download
from ludus.server.web.responses import Done
from ludus.timestamps import find_zone

Zone = Annotated[str, QueryParameter(max_length=60)]
SheetLanguage = FromQuery[Literal["en", "zh"]]


class AssignmentRequest(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """An assignment as a teacher writes it."""

    title: Annotated[str, msgspec.Meta(max_length=200)]
    about: Annotated[str, msgspec.Meta(max_length=20_000)] = ""
    settings: AssignmentSettings
    opens: Moment | None = None
    deadline: Moment
    reveals: Moment | None = None
    """When hidden rivals are shown; null: as soon as nothing is accepted any more."""
    published: bool = True

    @property
    def times(self) -> assignments.AssignmentTimes:
        return assignments.AssignmentTimes.parse(
            self.opens, self.deadline, self.reveals, self.settings.late.days
        )


class RegradeRequest(msgspec.Struct, forbid_unknown_fields=True):
    """How to grade again."""

    again: bool = False
    """Whether all bouts are played once more; else only what is missing."""


class PersonMarksRequest(msgspec.Struct, forbid_unknown_fields=True):
    """What a teacher adds to the marks of a student."""

    manual: dict[
        Annotated[str, msgspec.Meta(max_length=60)],
        Annotated[float, msgspec.Meta(ge=0, le=MAX_POINTS)],
    ] = {}
    comment: Annotated[str, msgspec.Meta(max_length=5000)] = ""
    override: Annotated[float, msgspec.Meta(ge=0, le=MAX_POINTS)] | None = None
    reason: Annotated[str, msgspec.Meta(max_length=500)] = ""


class ExtensionRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A later deadline for a student; null: that of the class."""

    deadline: Moment | None
    reason: Annotated[str, msgspec.Meta(max_length=500)] = ""


@get("/assignments", sync_to_thread=True)
def list_assignments(
    database: InjectedDatabase, identity: InjectedIdentity, group: FromQuery[int | None] = None
) -> list[AssignmentInfo]:
    """The assignments of your classes, the latest deadline first."""
    identity.require_login()
    with database.reading() as session:
        rows = assignments.list_assignments(session, identity, group)
        return [assignments.describe_assignment(session, row, identity) for row in rows]


@post("/groups/{id:int}/assignments", sync_to_thread=True, status_code=201, scope=ADMIN)
def create_assignment(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    id: FromPath[int],
    data: JSONBody[AssignmentRequest],
) -> AssignmentDetail:
    """Give a class an assignment (its teachers)."""
    identity.require_teacher_of(id)
    with database.writing() as session:
        row = assignments.create_assignment(
            session,
            identity,
            id,
            data.settings,
            data.times,
            title=data.title,
            about=data.about,
            published=data.published,
        )
        return assignment_views.describe_detail(session, row, identity)


@post("/assignments/preview", sync_to_thread=True, status_code=200, scope=READ)
def preview_assignment(
    database: InjectedDatabase, identity: InjectedIdentity, data: JSONBody[AssignmentSettings]
) -> RulePreview:
    """A grading rule in sentences, or what is wrong with it (teachers)."""
    identity.require_staff()
    with database.reading() as session:
        return assignments.preview_rule(session, identity, data)


@get("/assignments/{id:int}", sync_to_thread=True)
def get_assignment(
    database: InjectedDatabase, identity: InjectedIdentity, id: FromPath[int]
) -> AssignmentDetail:
    """An assignment with its rule and your own work."""
    with database.reading() as session:
        row = assignments.get_assignment(session, id, identity)
        return assignment_views.describe_detail(session, row, identity)


@patch("/assignments/{id:int}", sync_to_thread=True, scope=ADMIN)
def change_assignment(
    database: InjectedDatabase,
    background: InjectedBackground,
    identity: InjectedIdentity,
    id: FromPath[int],
    data: JSONBody[AssignmentRequest],
) -> AssignmentDetail:
    """Change an assignment; what is missing then is graded (its teachers)."""
    with database.writing() as session:
        row = assignments.get_managed(session, id, identity)
        assignments.change_assignment(
            session,
            identity,
            row,
            data.settings,
            data.times,
            title=data.title,
            about=data.about,
            published=data.published,
        )
        changed = assignment_views.describe_detail(session, row, identity)
    background.wake()
    return changed


@delete("/assignments/{id:int}", sync_to_thread=True, status_code=200, scope=ADMIN)
def delete_assignment(
    database: InjectedDatabase, identity: InjectedIdentity, id: FromPath[int]
) -> Done:
    """Delete an assignment for which nothing was handed in (its teachers)."""
    with database.writing() as session:
        row = assignments.get_managed(session, id, identity)
        assignments.delete_assignment(session, identity, row)
    return Done()


@post("/assignments/{id:int}/regrade", sync_to_thread=True, status_code=200, scope=ADMIN)
def regrade(
    database: InjectedDatabase,
    background: InjectedBackground,
    identity: InjectedIdentity,
    id: FromPath[int],
    data: JSONBody[RegradeRequest],
) -> MarkBookInfo:
    """Grade again: what is missing, or all bouts once more with the same seeds (its teachers)."""
    with database.writing() as session:
        row = assignments.get_judged(session, id, identity)
        assignments.regrade_all(session, identity, row, again=data.again)
        book = assignment_views.describe_book(session, row, identity)
    background.wake()
    return book


@get("/assignments/{id:int}/marks", sync_to_thread=True)
def get_marks(
    database: InjectedDatabase, identity: InjectedIdentity, id: FromPath[int]
) -> MarkBookInfo:
    """The marks of the class (its teachers)."""
    with database.reading() as session:
        return _find_book(session, id, identity)


def _find_book(session: Session, id: int, identity: InjectedIdentity) -> MarkBookInfo:
    row = assignments.get_graded(session, id, identity)
    return assignment_views.describe_book(session, row, identity)


@get("/assignments/{id:int}/marks.csv", sync_to_thread=True)
def download_csv(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    id: FromPath[int],
    lang: SheetLanguage = "en",
    zone: Zone = "",
) -> Response[bytes]:
    """The marks of the class as CSV (its teachers). ``zone``: the time zone of the reader, such as
    ``Asia/Shanghai``; UTC by default."""
    with database.reading() as session:
        book = _find_book(session, id, identity)
    data = write_csv(mark_exports.make_table(book, lang, find_zone(zone)))
    return make_download(data, f"{book.assignment.title}.csv", "text/csv; charset=utf-8")


@get("/assignments/{id:int}/marks.xlsx", sync_to_thread=True)
def download_xlsx(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    id: FromPath[int],
    lang: SheetLanguage = "en",
    zone: Zone = "",
) -> Response[bytes]:
    """The marks of the class as a workbook (its teachers); ``zone`` as for CSV."""
    with database.reading() as session:
        book = _find_book(session, id, identity)
    title = book.assignment.title
    data = write_xlsx(mark_exports.make_table(book, lang, find_zone(zone)), title)
    return make_download(data, f"{title}.xlsx", XLSX_MEDIA_TYPE)


@get("/assignments/{id:int}/results.json", sync_to_thread=True)
def download_results(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    id: FromPath[int],
    lang: SheetLanguage = "en",
) -> Response[bytes]:
    """The marks of the class, for each student in the form of Gradescope's results.json (its
    staff)."""
    with database.reading() as session:
        row = assignments.get_graded(session, id, identity)
        book = MarkBook(session, row, show_hidden=True)
        names = name_rivals(session, book.settings, show_hidden=True)
        students = list_students(session, row.group_id)
        results = mark_exports.make_results(book, students, names, lang)
    return make_download(msgspec.json.encode(results), "results.json", "application/json")


@get("/assignments/{id:int}/people/{user:int}", sync_to_thread=True)
def get_person_work(
    database: InjectedDatabase, identity: InjectedIdentity, id: FromPath[int], user: FromPath[int]
) -> OwnWork:
    """The work of a student of the class (its teachers)."""
    with database.reading() as session:
        row = assignments.get_graded(session, id, identity)
        return _describe_person(session, row, user)


@put("/assignments/{id:int}/people/{user:int}", sync_to_thread=True, scope=ADMIN)
def set_person_marks(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    id: FromPath[int],
    user: FromPath[int],
    data: JSONBody[PersonMarksRequest],
) -> OwnWork:
    """Set manual points, a comment and an override with its reason (the class's teachers)."""
    with database.writing() as session:
        row = assignments.get_judged(session, id, identity)
        person_marks.set_person_marks(
            session,
            identity,
            row,
            user,
            manual=data.manual,
            comment=data.comment,
            override=data.override,
            reason=data.reason,
        )
        session.flush()
        return _describe_person(session, row, user)


@put("/assignments/{id:int}/people/{user:int}/deadline", sync_to_thread=True, scope=ADMIN)
def set_person_deadline(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    id: FromPath[int],
    user: FromPath[int],
    data: JSONBody[ExtensionRequest],
) -> OwnWork:
    """Give a student a later deadline with its reason, or take it back (the class's staff)."""
    with database.writing() as session:
        row = assignments.get_judged(session, id, identity)
        extensions.set_extension(session, identity, row, user, data.deadline, data.reason)
        session.flush()
        return _describe_person(session, row, user)


def _describe_person(session: Session, row: AssignmentRow, user: int) -> OwnWork:
    book = MarkBook(session, row, show_hidden=True, people=[user])
    names = name_rivals(session, book.settings, show_hidden=True)
    return assignment_views.describe_work(session, book, user, names)


HANDLERS = [
    list_assignments,
    create_assignment,
    preview_assignment,
    get_assignment,
    change_assignment,
    delete_assignment,
    regrade,
    get_marks,
    download_csv,
    download_xlsx,
    download_results,
    get_person_work,
    set_person_marks,
    set_person_deadline,
]
