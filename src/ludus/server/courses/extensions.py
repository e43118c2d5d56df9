"""Extensions: a later deadline for one student, with a reason."""

from __future__ import annotations

from sqlalchemy.orm import Session

from ludus.errors import LudusError
from ludus.lang import Text
from ludus.scheduling.schema import AssignmentRow, DeadlineExtensionRow, GroupMemberRow, UserRow
from ludus.server.accounts import name_rules, notices
from ludus.server.accounts.identity import Identity
from ludus.server.admin import audit
from ludus.server.courses import assignments
from ludus.server.page_links import page_link
from ludus.server.web.errors import not_found
from ludus.timestamps import now, parse_time

MAX_REASON_CHARS = 500


def set_extension(
    session: Session,
    identity: Identity,
    assignment: AssignmentRow,
    user_id: int,
    deadline: str | None,
    reason: str,
) -> None:
    """Give a student another deadline, which is later than that of the class, or take it back
    (None). The student gets a notice with the reason; hidden rivals stay hidden until this student
    can hand in no more, unless they are shown already."""
    if session.get(GroupMemberRow, (assignment.group_id, user_id)) is None:
        raise not_found("student", "学生")
    before = None
    moment, why = parse_time(deadline), name_rules.clean_line(reason, MAX_REASON_CHARS)
    row = session.get(DeadlineExtensionRow, (assignment.id, user_id))
    if row is not None:
        before = row.deadline
    if moment is None:
        if row is not None:
            session.delete(row)
    else:
        _refuse_invalid(assignment, moment, why)
        if row is None:
            row = DeadlineExtensionRow(assignment_id=assignment.id, user_id=user_id)
            session.add(row)
        row.deadline, row.reason = moment, why
        row.author_id, row.changed_at = identity.id, now()
    session.flush()
    assignments.keep_hidden(session, assignment)
    _tell_student(session, assignment, user_id, moment, why)
    audit.log_action(
        session,
        identity,
        "deadline changed",
        assignment=assignment.id,
        title=assignment.title,
        user=session.get_one(UserRow, user_id).name,
        changes=audit.list_changes({"deadline": before}, {"deadline": moment}),
        reason=why,
    )


def _refuse_invalid(assignment: AssignmentRow, moment: str, reason: str) -> None:
    if moment <= assignment.deadline:
        raise LudusError(
            f"an extension ends after the deadline of the class, {assignment.deadline}",
            f"延期须晚于全班的截止时间 {assignment.deadline}",
        )
    if not reason:
        raise LudusError("say why the deadline is extended", "请说明延期的原因")


def _tell_student(
    session: Session, assignment: AssignmentRow, user_id: int, moment: str | None, reason: str
) -> None:
    if moment is None:
        text = Text(
            f"{assignment.title}: the deadline of the class, {assignment.deadline}, applies to you",
            f"“{assignment.title}”：你的截止时间与全班相同，为 {assignment.deadline}",
        )
    else:
        text = Text(
            f"{assignment.title}: your deadline is {moment} now ({reason})",
            f"“{assignment.title}”：你的截止时间延至 {moment}（{reason}）",
        )
    link = page_link("/assignments/:id", assignment.id)
    notices.add_notices(session, {user_id}, "assignment", text, link)
