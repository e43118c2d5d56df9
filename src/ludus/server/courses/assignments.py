"""Assignments: who sees and manages them, how they are made, changed and described."""

from __future__ import annotations

from typing import Any

import msgspec
import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.contest.model import draw_seed
from ludus.courses.assignment import AssignmentSettings
from ludus.courses.marks import total_points
from ludus.courses.rule_words import describe_past_deadline, describe_rule
from ludus.errors import LudusError
from ludus.games.openings import default_spec
from ludus.games.registry import get_listed
from ludus.lang import Text
from ludus.scheduling.schema import (
    AssignmentRow,
    ContestRow,
    DeadlineExtensionRow,
    GradingRow,
    GroupMemberRow,
    GroupRow,
    PersonMarkRow,
    SubmissionPersonRow,
    SubmissionRow,
)
from ludus.server.accounts import groups, name_rules, notices
from ludus.server.accounts.identity import Identity
from ludus.server.admin import audit
from ludus.server.courses import gradings, mark_book, person_times
from ludus.server.courses.assignment_facts import list_facts
from ludus.server.courses.assignment_schemas import (
    AssignmentInfo,
    AssignmentState,
    ClassLink,
    RivalInfo,
    RulePreview,
)
from ludus.server.courses.person_times import PersonTimes
from ludus.server.courses.rivals import check_rivals, hide_own_rivals, name_rivals
from ludus.server.page_links import page_link
from ludus.server.web.errors import Conflict, not_found
from ludus.timestamps import now, parse_time

MAX_DESCRIPTION_CHARS = 20_000
MAX_ASSIGNMENTS_PER_CLASS = 200


def manages(identity: Identity, assignment: AssignmentRow) -> bool:
    """Whether a person belongs to the staff of the assignment's class."""
    return identity.is_logged_in and identity.assists(assignment.group_id)


def is_revealed(assignment: AssignmentRow) -> bool:
    """Whether the class may see hidden rivals by now."""
    return assignment.reveals_at <= now()


def shows_hidden(identity: Identity, assignment: AssignmentRow) -> bool:
    """Whether a person may see hidden rivals and their bouts."""
    return manages(identity, assignment) or is_revealed(assignment)


def get_assignment(session: Session, id: int, identity: Identity) -> AssignmentRow:
    """An assignment of a class that one is in; a draft only for its staff."""
    identity.require_login()
    row = session.get(AssignmentRow, id)
    if row is None:
        raise not_found("assignment", "作业")
    if not manages(identity, row) and (not row.published or row.group_id not in identity.groups):
        raise not_found("assignment", "作业")
    return row


def get_graded(session: Session, id: int, identity: Identity) -> AssignmentRow:
    """An assignment of a class to whose staff one belongs, to read marks."""
    row = get_assignment(session, id, identity)
    identity.require_assistant_of(row.group_id)
    return row


def get_judged(session: Session, id: int, identity: Identity) -> AssignmentRow:
    """An assignment of a class to whose staff one belongs, to give marks; Conflict if the class is
    archived."""
    row = get_graded(session, id, identity)
    groups.get_group_in_use(session, row.group_id)
    return row


def get_managed(session: Session, id: int, identity: Identity) -> AssignmentRow:
    """An assignment of a class that one teaches, to change it."""
    row = get_assignment(session, id, identity)
    identity.require_teacher_of(row.group_id)
    groups.get_group_in_use(session, row.group_id)
    return row


def list_assignments(
    session: Session, identity: Identity, group_id: int | None
) -> list[AssignmentRow]:
    """Those that one may see, by deadline, the latest first."""
    query = sql.select(AssignmentRow).order_by(AssignmentRow.deadline.desc(), AssignmentRow.id)
    if group_id is not None:
        query = query.where(AssignmentRow.group_id == group_id)
    if not identity.organiser:
        query = query.where(AssignmentRow.group_id.in_(identity.groups))
    found = session.scalars(query)
    return [row for row in found if row.published or manages(identity, row)]


def find_state(row: AssignmentRow, group: GroupRow, times: PersonTimes) -> AssignmentState:
    """The state for a person with these times."""
    moment = now()
    if group.archived_at is not None:
        return "archived"
    if not row.published:
        return "draft"
    if row.opens_at is not None and row.opens_at > moment:
        return "planned"
    if moment > times.closes:
        return "closed"
    return "open" if moment <= times.deadline else "late"


# Making and changing


class AssignmentTimes(msgspec.Struct, frozen=True):
    """The times of an assignment as they are stored."""

    opens: str | None
    deadline: str
    closes: str
    reveals: str

    @classmethod
    def parse(
        cls, opens: str | None, deadline: str, reveals: str | None, late_days: int
    ) -> AssignmentTimes:
        """Hidden rivals are shown when nothing can be handed in any more, or later."""
        last, begin = parse_time(deadline), parse_time(opens)
        if last is None:
            raise LudusError("an assignment needs a deadline", "作业需要截止时间")
        if begin is not None and begin >= last:
            raise LudusError("it opens after its deadline", "开放时间晚于截止时间")
        closes = person_times.add_days(last, late_days)
        shown = parse_time(reveals) or closes
        if shown < closes:
            raise LudusError(
                f"hidden rivals can be shown at {closes} at the earliest, when nothing is accepted"
                " any more",
                f"隐藏对手最早在 {closes}（不再接受提交时）公布",
            )
        return cls(begin, last, closes, shown)


def complete_settings(settings: AssignmentSettings) -> AssignmentSettings:
    """Settings with a secret seed and the openings of today, checked."""
    settings.check()
    game = get_listed(settings.game)
    openings = settings.openings or default_spec(game, game.Options.parse(settings.options))
    seed = settings.seed or draw_seed()
    return msgspec.structs.replace(settings, openings=openings, seed=seed)


def create_assignment(
    session: Session,
    identity: Identity,
    group_id: int,
    settings: AssignmentSettings,
    times: AssignmentTimes,
    *,
    title: str,
    about: str,
    published: bool,
) -> AssignmentRow:
    group = groups.get_group_in_use(session, group_id)
    count = sql.select(sql.func.count()).where(AssignmentRow.group_id == group_id)
    if (session.scalar(count) or 0) >= MAX_ASSIGNMENTS_PER_CLASS:
        raise Conflict(
            f"at most {MAX_ASSIGNMENTS_PER_CLASS} assignments in a class",
            f"每个班级最多 {MAX_ASSIGNMENTS_PER_CLASS} 个作业",
        )
    _refuse_past_deadline(times)
    check_rivals(session, identity, settings)
    hide_own_rivals(session, identity, settings)
    row = AssignmentRow(
        group_id=group.id,
        author_id=identity.id,
        title=name_rules.check_title(title, 100),
        description=name_rules.clean_paragraph(about, MAX_DESCRIPTION_CHARS),
        settings=msgspec.to_builtins(complete_settings(settings)),
        published=False,
        opens_at=times.opens,
        deadline=times.deadline,
        closes_at=times.closes,
        reveals_at=times.reveals,
        ladder_places=None,
        created_at=now(),
    )
    session.add(row)
    session.flush()
    audit.log_action(session, identity, "assignment made", id=row.id, title=row.title)
    if published:
        publish(session, row, group)
    return row


def _refuse_past_deadline(times: AssignmentTimes) -> None:
    """A class cannot be given what nobody can hand in on time: its hidden rivals would be shown at
    once."""
    if times.deadline <= now():
        raise LudusError(
            f"the deadline {times.deadline} has passed already; choose a later one",
            f"截止时间 {times.deadline} 已过，请选择将来的时间",
        )


def publish(session: Session, row: AssignmentRow, group: GroupRow) -> None:
    """Show an assignment to its class, and tell it."""
    if row.published:
        return
    row.published = True
    query = sql.select(GroupMemberRow.user_id).where(GroupMemberRow.group_id == row.group_id)
    text = Text(
        f"{group.name}: new assignment {row.title}, due {row.deadline}",
        f"{group.name}：新作业“{row.title}”，截止 {row.deadline}",
    )
    link = page_link("/assignments/:id", row.id)
    people = set(session.scalars(query)) - {row.author_id}
    notices.add_notices(session, people, "assignment", text, link)


def change_assignment(
    session: Session,
    identity: Identity,
    row: AssignmentRow,
    settings: AssignmentSettings,
    times: AssignmentTimes,
    *,
    title: str,
    about: str,
    published: bool,
) -> None:
    """Change an assignment. Bouts that the new settings ask for too are not played again. Students
    get a notice if their deadline moves."""
    before, facts = gradings.parse_settings(row), list_facts(row)
    was_published, old_deadline = row.published, row.deadline
    handed_in = count_submissions(session, row.id)
    if handed_in and settings.game != before.game:
        raise Conflict(
            "the game cannot change any more: something was handed in",
            "已有提交，不能再更换游戏",
        )
    if handed_in and not published:
        raise Conflict(
            "it cannot become a draft again: something was handed in", "已有提交，不能再改为草稿"
        )
    if published and not was_published:
        _refuse_past_deadline(times)
    check_rivals(session, identity, settings)
    hide_own_rivals(session, identity, settings)
    kept = msgspec.structs.replace(settings, seed=settings.seed or before.seed)
    row.settings = msgspec.to_builtins(complete_settings(kept))
    row.title = name_rules.check_title(title, 100)
    row.description = name_rules.clean_paragraph(about, MAX_DESCRIPTION_CHARS)
    if times.closes > now():
        row.ladder_places = None
    row.opens_at, row.deadline = times.opens, times.deadline
    revealed = is_revealed(row)
    row.closes_at, row.reveals_at = times.closes, times.reveals
    if not revealed:
        row.reveals_at = max(times.reveals, person_times.find_last_closing(session, row))
    _move_reveal(session, row)
    if published:
        publish(session, row, groups.get_group(session, row.group_id))
    else:
        row.published = False
    if was_published and published and row.deadline != old_deadline:
        _tell_new_deadline(session, identity, row, old_deadline)
    changes = audit.list_changes(facts, list_facts(row))
    audit.log_action(
        session, identity, "assignment changed", id=row.id, title=row.title, changes=changes
    )
    regrade(session, row)


def _tell_new_deadline(
    session: Session, identity: Identity, row: AssignmentRow, before: str
) -> None:
    """Tell the class, but for those whose own deadline is later than both."""
    extended = person_times.load_extensions(session, row.id)
    latest = max(before, row.deadline)
    own = {user for user, given in extended.items() if given.deadline > latest}
    query = sql.select(GroupMemberRow.user_id).where(GroupMemberRow.group_id == row.group_id)
    text = Text(
        f"{row.title}: the deadline is {row.deadline} now, not {before}",
        f"“{row.title}”：截止时间由 {before} 改为 {row.deadline}",
    )
    cost = describe_past_deadline(gradings.parse_settings(row))
    if row.deadline <= now() and cost:
        text = Text(f"{text.en}. {cost.en}", f"{text.zh}。{cost.zh}")
    link = page_link("/assignments/:id", row.id)
    people = set(session.scalars(query)) - own - {identity.id}
    notices.add_notices(session, people, "assignment", text, link)


def keep_hidden(session: Session, row: AssignmentRow) -> None:
    """Hidden rivals are not shown before the last student of the class can hand in no more."""
    last = person_times.find_last_closing(session, row)
    if not is_revealed(row) and row.reveals_at < last:
        row.reveals_at = last
        _move_reveal(session, row)


def _move_reveal(session: Session, row: AssignmentRow) -> None:
    """The contests of an assignment show their hidden bouts when it does."""
    ids = sql.select(GradingRow.contest_id).where(GradingRow.assignment_id == row.id)
    change = sql.update(ContestRow).where(ContestRow.id.in_(ids))
    session.execute(
        change.values(publishes_at=row.reveals_at, name=row.title),
        execution_options={"synchronize_session": False},
    )
    session.expire_all()


def count_submissions(session: Session, assignment_id: int) -> int:
    query = sql.select(sql.func.count()).where(SubmissionRow.assignment_id == assignment_id)
    return session.scalar(query) or 0


def delete_assignment(session: Session, identity: Identity, row: AssignmentRow) -> None:
    """Delete an assignment for which nothing was handed in."""
    if count_submissions(session, row.id):
        raise Conflict(
            "something was handed in, so it cannot be deleted; to end it, move its deadline",
            "已有提交，不能删除；如需结束，请修改截止时间",
        )
    for table in (PersonMarkRow, DeadlineExtensionRow):
        session.execute(sql.delete(table).where(table.assignment_id == row.id))
    notices.remove_notices(session, [page_link("/assignments/:id", row.id)])
    audit.log_action(session, identity, "assignment deleted", id=row.id, title=row.title)
    session.delete(row)


def regrade(session: Session, row: AssignmentRow, *, again: bool = False) -> int:
    """Plan what is missing for all submissions that may count; with ``again`` all their bouts once
    more. Returns how many codes there are."""
    counted = gradings.parse_settings(row).counted
    codes: dict[tuple[str, str], SubmissionRow] = {}
    for rows in mark_book.load_submissions(session, row.id).values():
        graded = [each for each in rows if each.state == "grading"]
        codes |= {mark_book.code_key(each): each for each in graded[-counted:]}
    for submission in codes.values():
        gradings.ensure_gradings(session, row, submission, again=again)
    return len(codes)


def regrade_all(session: Session, identity: Identity, row: AssignmentRow, *, again: bool) -> None:
    """Grade again as a teacher asks for it."""
    count = regrade(session, row, again=again)
    audit.log_action(session, identity, "regraded", id=row.id, title=row.title, codes=count)


# What people read


def describe_assignment(session: Session, row: AssignmentRow, identity: Identity) -> AssignmentInfo:
    return AssignmentInfo(**collect_facts(session, row, identity))


def collect_facts(session: Session, row: AssignmentRow, identity: Identity) -> dict[str, Any]:
    settings, group = gradings.parse_settings(row), session.get_one(GroupRow, row.group_id)
    times = person_times.load_times(session, row, identity.id)
    return {
        "id": row.id,
        "group": ClassLink(group.id, group.name),
        "title": row.title,
        "about": row.description,
        "game": settings.game,
        "state": find_state(row, group, times),
        "opens": row.opens_at,
        "deadline": times.deadline,
        "closes": times.closes,
        "reveals": row.reveals_at,
        "revealed": is_revealed(row),
        "most": float(total_points(settings)),
        "mine": manages(identity, row),
        "submitted": _has_submitted(session, row.id, identity.id),
    }


def _has_submitted(session: Session, assignment_id: int, user_id: int) -> bool:
    query = (
        sql.select(SubmissionRow.id)
        .join(SubmissionPersonRow, SubmissionPersonRow.submission_id == SubmissionRow.id)
        .where(SubmissionRow.assignment_id == assignment_id, SubmissionRow.state != "refused")
        .where(SubmissionPersonRow.user_id == user_id)
    )
    return session.scalar(query.limit(1)) is not None


def list_rivals(
    session: Session, settings: AssignmentSettings, *, show_hidden: bool
) -> list[RivalInfo]:
    names = name_rivals(session, settings, show_hidden=show_hidden)
    ordered = sorted(settings.rivals, key=lambda rival: rival.level)
    return [
        RivalInfo(rival.level, rival.hidden, rival.points, names.get(rival.bot))
        for rival in ordered
    ]


def preview_rule(session: Session, identity: Identity, settings: AssignmentSettings) -> RulePreview:
    """The sentences of a rule that a teacher is writing, as students will read them before hidden
    rivals are shown; LudusError says what is wrong."""
    settings.check()
    check_rivals(session, identity, settings)
    names = name_rivals(session, settings, show_hidden=False)
    return RulePreview(
        describe_rule(settings, names),
        float(total_points(settings)),
        settings.bouts * len(settings.rivals),
    )
