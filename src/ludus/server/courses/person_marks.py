"""What teachers add to the marks of a student: points for manual parts, a comment, an override."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy.orm import Session

from ludus.errors import LudusError
from ludus.scheduling.schema import AssignmentRow, GroupMemberRow, PersonMarkRow
from ludus.server.accounts import name_rules
from ludus.server.accounts.identity import Identity
from ludus.server.admin import audit
from ludus.server.courses import gradings
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
        row = PersonMarkRow(assignment_id=assignment.id, user_id=user_id)
        session.add(row)
    row.manual = dict(manual)
    row.comment = name_rules.clean_paragraph(comment, MAX_COMMENT_CHARS)
    row.override, row.reason = override, reason if override is not None else ""
    row.author_id, row.changed_at = identity.id, now()
    audit.log_action(
        session,
        identity,
        "marks changed",
        assignment=assignment.id,
        user=user_id,
        manual=dict(manual),
        override=override,
        reason=row.reason,
    )
