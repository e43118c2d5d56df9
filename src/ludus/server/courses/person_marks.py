"""What teachers add to the marks of a student: points for manual parts, a comment, an override."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy.orm import Session

from ludus.errors import LudusError
from ludus.lang import Text
from ludus.scheduling.schema import AssignmentRow, GroupMemberRow, PersonMarkRow, UserRow
from ludus.server.accounts import name_rules, notices
from ludus.server.accounts.identity import Identity
from ludus.server.admin import audit
from ludus.server.courses import gradings
from ludus.server.page_links import page_link
from ludus.server.web.errors import not_found
from ludus.timestamps import now

MAX_COMMENT_CHARS = 5000


def set_person_marks(
    session: Session,
    identity: Identity,
    assignment: AssignmentRow,
    user_id: int,
    *,
    manual: Mapping[str, float],
    comment: str,
    override: float | None,
    reason: str,
) -> None:
    """Set all that a teacher adds for a student; an override needs a reason."""
    if session.get(GroupMemberRow, (assignment.group_id, user_id)) is None:
        raise not_found("student", "学生")
    parts = {part.title: part.points for part in gradings.parse_settings(assignment).rule.manual}
    for title, points in manual.items():
        if title not in parts:
            raise LudusError(
                f"there is no part {title[:60]!r} to judge", f"没有评分项 {title[:60]!r}"
            )
        if not 0 <= points <= parts[title]:
            raise LudusError(
                f"{title}: expected 0 to {parts[title]:g} points, got {points:g}",
                f"{title}：应为 0 到 {parts[title]:g} 分，得到 {points:g}",
            )
    reason = name_rules.clean_line(reason, 500)
    if override is not None and not reason:
        raise LudusError("say why the total is changed", "请说明改分的原因")
    row = session.get(PersonMarkRow, (assignment.id, user_id))
    if row is None:
        row = PersonMarkRow(
            assignment_id=assignment.id, user_id=user_id, manual={}, comment="", reason=""
        )
        session.add(row)
    before = _get_added(row)
    row.manual = dict(manual)
    row.comment = name_rules.clean_paragraph(comment, MAX_COMMENT_CHARS)
    row.override, row.reason = override, reason if override is not None else ""
    row.author_id, row.changed_at = identity.id, now()
    _tell_student(session, assignment, row, before)
    audit.log_action(
        session,
        identity,
        "marks changed",
        assignment=assignment.id,
        title=assignment.title,
        user=session.get_one(UserRow, user_id).name,
        changes=audit.list_changes(_list_facts(before), _list_facts(_get_added(row))),
    )


AddedMarks = tuple[Mapping[str, float], str, float | None, str]
"""Points by part, the comment, the override and its reason."""


def _get_added(row: PersonMarkRow) -> AddedMarks:
    return row.manual, row.comment, row.override, row.reason


def _list_facts(added: AddedMarks) -> dict[str, Any]:
    """For the audit log."""
    manual, comment, override, reason = added
    facts = {"override": override, "reason": reason or None, "comment": comment or None}
    return {"manual": manual, **facts}


def _tell_student(
    session: Session, assignment: AssignmentRow, row: PersonMarkRow, before: AddedMarks
) -> None:
    """A notice of what a teacher has changed, if anything that the student reads."""
    manual, comment, override, reason = before
    news = []
    if row.override is None and override is not None:
        news.append(Text("your total is the computed one again", "总分恢复为计算值"))
    elif row.override is not None and (row.override, row.reason) != (override, reason):
        total = f"{row.override:g}"
        news.append(
            Text(
                f"your total was set to {total} ({row.reason})",
                f"总分改定为 {total}（{row.reason}）",
            )
        )
    if judged := [title for title, points in row.manual.items() if manual.get(title) != points]:
        news.append(Text(f"judged: {', '.join(judged)}", f"已评分：{'、'.join(judged)}"))
    if row.comment and row.comment != comment:
        news.append(Text("there is a comment for you", "有给你的评语"))
    if news:
        text = Text(
            f"{assignment.title}: {'; '.join(each.en for each in news)}",
            f"“{assignment.title}”：{'；'.join(each.zh for each in news)}",
        )
        link = page_link("/assignments/:id", assignment.id)
        notices.add_notices(session, {row.user_id}, "grading", text, link)
