"""What students and teachers see of an assignment's work: marks with reasons, bouts, the class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.courses.marks import MarkLine, Marks
from ludus.courses.rule_words import Names, describe_line, describe_rule
from ludus.scheduling.schema import (
    AssignmentRow,
    BotRow,
    BoutRow,
    ContestRow,
    EntrantRow,
    SubmissionRow,
    VersionRow,
)
from ludus.server.accounts.identity import Identity
from ludus.server.courses import assignments, gradings, submissions
from ludus.server.courses.assignment_schemas import (
    AssignmentDetail,
    ExtensionInfo,
    GradingProgress,
    MarkBookInfo,
    MarkLineInfo,
    MarksInfo,
    OwnWork,
    ScoreCell,
    StudentMarks,
    SubmissionBouts,
    SubmissionInfo,
)
from ludus.server.courses.mark_book import MarkBook, PersonWork, code_key
from ludus.server.courses.rivals import name_rivals
from ludus.server.courses.students import Student, list_students
from ludus.server.records import played_bouts
from ludus.server.records.bout_schemas import BotLink, VersionLink


def describe_detail(session: Session, row: AssignmentRow, identity: Identity) -> AssignmentDetail:
    """An assignment with its rule and the reader's own work."""
    settings = gradings.parse_settings(row)
    shown, managed = assignments.shows_hidden(identity, row), assignments.manages(identity, row)
    names = name_rivals(session, settings, show_hidden=shown)
    read = name_rivals(session, settings, show_hidden=assignments.is_revealed(row))
    detail = AssignmentDetail(
        **assignments.collect_facts(session, row, identity),
        bouts=settings.bouts,
        rivals=assignments.list_rivals(session, settings, show_hidden=shown),
        rule=describe_rule(settings, read),
        options=settings.options,
        openings=settings.openings,
        published=row.published,
        late=submissions.describe_lateness(session, row, identity),
    )
    if managed:
        detail.settings = settings
        detail.handed_in = assignments.count_submissions(session, row.id)
    book = MarkBook(session, row, show_hidden=shown, people=[identity.id])
    if not managed or book.submissions:
        detail.work = describe_work(session, book, identity.id, names)
        detail.points = detail.work.marks.total
    return detail


def describe_work(session: Session, book: MarkBook, user_id: int, names: Names) -> OwnWork:
    """The work of a person, as the book's reader may see it."""
    work = book.work_of(user_id)
    most = book.settings.attempts_a_day
    used = submissions.count_today(session, book.assignment.id, [user_id])
    return OwnWork(
        marks=describe_marks(work.total, names, book),
        submissions=_describe_submissions(session, book, work, names),
        comment=work.added.comment if work.added else "",
        override=work.added.override if work.added else None,
        reason=work.added.reason if work.added else "",
        attempts_left=max(0, most - used) if most else None,
        extension=_describe_extension(work),
    )


def _describe_extension(work: PersonWork) -> ExtensionInfo | None:
    given = work.extension
    return None if given is None else ExtensionInfo(given.deadline, given.reason)


def describe_marks(marks: Marks, names: Names, book: MarkBook) -> MarksInfo:
    lines = [
        MarkLineInfo(
            line.kind,
            line.level,
            _as_number(line),
            float(line.most),
            describe_line(line, names, book.settings, book.assignment.reveals_at),
        )
        for line in marks.lines
    ]
    return MarksInfo(float(marks.total), float(marks.most), marks.complete, lines)


def _as_number(line: MarkLine) -> float | None:
    return None if line.points is None else float(line.points)


def _describe_submissions(
    session: Session, book: MarkBook, work: PersonWork, names: Names
) -> list[SubmissionInfo]:
    ids = [row.version_id for row in work.submissions]
    query = sql.select(VersionRow, BotRow).join(BotRow, BotRow.id == VersionRow.bot_id)
    versions = {
        version.id: (version, bot)
        for version, bot in session.execute(query.where(VersionRow.id.in_(ids)))
    }
    rivals = [r for r in book.settings.rivals if book.show_hidden or not r.hidden]
    planned = book.settings.bouts * len(rivals)
    found = []
    for row in reversed(work.submissions):
        (version, bot), results = versions[row.version_id], book.results[code_key(row)]
        marks = work.marks.get(row.id)
        own = marks and replace(marks, total=marks.computed)  # what a teacher sets is the person's
        found.append(
            SubmissionInfo(
                id=row.id,
                at=row.created_at,
                bot=BotLink(bot.id, bot.name),
                version=VersionLink(version.id, version.number),
                state=row.state,
                days_late=work.days_late[row.id],
                played=len(results.bouts),
                planned=planned,
                counts=row.id == work.counted,
                marks=describe_marks(own, names, book) if own else None,
                stopped=results.stopped,
            )
        )
    return found


def list_submission_bouts(
    session: Session,
    assignment: AssignmentRow,
    submission: SubmissionRow,
    identity: Identity,
    level: int | None,
) -> SubmissionBouts:
    """The bouts of a submission that may be shown, by level and number."""
    settings = gradings.parse_settings(assignment)
    shown = assignments.shows_hidden(identity, assignment)
    levels: dict[str, int] = {}
    rows: list[tuple[BoutRow, ContestRow]] = []
    for part in gradings.PARTS:
        grading = gradings.find_grading(session, submission, settings.deal, part)
        if grading is None or not settings.rivals_of(part) or (part == "hidden" and not shown):
            continue
        by_bot = {rival.bot: rival.level for rival in settings.rivals_of(part)}
        contest = session.get_one(ContestRow, grading.contest_id)
        entered = sql.select(EntrantRow).where(EntrantRow.contest_id == contest.id)
        here = {
            row.name: by_bot[gradings.identify_entrant(row)]
            for row in session.scalars(entered)
            if gradings.identify_entrant(row) in by_bot
        }
        levels |= here
        query = sql.select(BoutRow).where(BoutRow.contest_id == contest.id, BoutRow.void.is_(False))
        rows += [(bout, contest) for bout in session.scalars(query) if here.keys() & bout.names]
    chosen = [
        (bout, contest)
        for bout, contest in rows
        if level is None or level in (levels.get(name) for name in bout.names)
    ]
    chosen.sort(key=lambda row: (_level(row[0], levels), row[0].number))
    return SubmissionBouts(played_bouts.describe_bouts(session, chosen), levels)


def _level(bout: BoutRow, levels: dict[str, int]) -> int:
    return max(levels.get(name, 0) for name in bout.names)


# The class


def describe_book(session: Session, row: AssignmentRow, identity: Identity) -> MarkBookInfo:
    """The marks of all students of the class, for its staff."""
    book = MarkBook(session, row, show_hidden=True)
    students = list_students(session, row.group_id)
    rule = book.settings.rule
    return MarkBookInfo(
        assignment=assignments.describe_assignment(session, row, identity),
        bouts=book.settings.bouts,
        levels=assignments.list_rivals(session, book.settings, show_hidden=True),
        manual=[part.title for part in rule.manual],
        rubrics=[part.rubric for part in rule.manual],
        manual_points=[part.points for part in rule.manual],
        has_no_fault=rule.no_fault > 0,
        has_ladder=bool(rule.ladder),
        students=list_student_marks(book, students),
        changed=sum(each.changed for each in book.results.values()),
        replayed=sum(each.replayed for each in book.results.values()),
        progress=_describe_progress(book),
    )


def _describe_progress(book: MarkBook) -> GradingProgress | None:
    planned = sum(each.planned for each in book.results.values())
    played = sum(each.played for each in book.results.values())
    return GradingProgress(played, planned) if planned else None


def list_student_marks(book: MarkBook, students: Sequence[Student]) -> list[StudentMarks]:
    return [_describe_student(book, student) for student in students]


def _describe_student(book: MarkBook, student: Student) -> StudentMarks:
    work = book.work_of(student.id)
    counted = next((row for row in work.submissions if row.id == work.counted), None)
    by_kind = {line.kind: line for line in work.total.lines if line.kind != "rival"}
    no_fault, ladder, late = (by_kind.get(kind) for kind in ("no_fault", "ladder", "late"))
    added = work.added
    return StudentMarks(
        user=student.id,
        name=student.name,
        shown=student.full_name,
        number=student.number,
        section=student.section,
        submission=work.counted,
        submissions=len(work.submissions),
        waiting=sum(row.state == "waiting" for row in work.submissions),
        status=work.status,
        at=counted.created_at if counted else None,
        days_late=work.days_late[counted.id] if counted else 0,
        extension=_describe_extension(work),
        rivals=[_describe_cell(line) for line in work.total.lines if line.kind == "rival"],
        no_fault=None if no_fault is None else _as_number(no_fault),
        late=0.0 if late is None else _as_number(late) or 0.0,
        ladder=None if ladder is None else _as_number(ladder),
        manual=dict(added.manual) if added else {},
        comment=added.comment if added else "",
        override=added.override if added else None,
        reason=added.reason if added else "",
        computed=float(work.total.computed),
        total=float(work.total.total),
        complete=work.total.complete,
    )


def _describe_cell(line: MarkLine) -> ScoreCell:
    score = line.score
    if score is None or not score.bouts:
        return ScoreCell(line.level, _as_number(line), 0.0, 0, 0, 0.0, 0.0)
    share = (float(score.points), score.bouts, score.faults, *score.interval)
    return ScoreCell(line.level, _as_number(line), *share)
