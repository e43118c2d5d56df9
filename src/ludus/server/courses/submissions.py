"""Handing in a version for an assignment."""

from __future__ import annotations

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.courses import rule_words
from ludus.errors import LudusError
from ludus.lang import Text
from ludus.scheduling.schema import (
    AssignmentRow,
    BotRow,
    GroupMemberRow,
    SubmissionPersonRow,
    SubmissionRow,
    VersionRow,
)
from ludus.server.accounts import groups
from ludus.server.accounts.identity import Identity
from ludus.server.bots import bots
from ludus.server.courses import gradings, person_times
from ludus.server.courses.person_times import count_days_late
from ludus.server.web.errors import Conflict, TooManyRequests, not_found
from ludus.timestamps import now, today, until_tomorrow

MAX_SUBMISSIONS_PER_PERSON = 1000
"""Of one assignment."""


def submit_version(
    session: Session, identity: Identity, assignment: AssignmentRow, version_id: int
) -> SubmissionRow:
    """Hand in a version of one's own bot, or of one's team's, while the assignment is open. It
    counts for everyone in the team who is in the class."""
    settings = gradings.parse_settings(assignment)
    version = bots.get_owned_version(session, version_id, identity)
    bot = session.get_one(BotRow, version.bot_id)
    groups.get_group_in_use(session, assignment.group_id)
    _refuse_outside_time(session, assignment, identity)
    if bot.game != settings.game:
        raise LudusError(
            f"{bot.name} plays {bot.game}, and this assignment is about {settings.game}",
            f"{bot.name} 玩的是 {bot.game}，而本作业的游戏是 {settings.game}",
        )
    if version.state == bots.BAD:
        raise LudusError(
            f"{bot.name} #{version.number} did not pass its check, so it cannot be handed in",
            f"{bot.name} #{version.number} 未通过检查，不能提交",
        )
    people = _list_people(session, assignment, bot)
    if identity.id not in people:
        people.append(identity.id)
    if not identity.assists(assignment.group_id):
        _refuse_too_many(session, assignment, people, settings.attempts_a_day)
    submission = SubmissionRow(
        assignment_id=assignment.id,
        author_id=identity.id,
        owner=f"u{bot.user_id}" if bot.team_id is None else f"t{bot.team_id}",
        version_id=version.id,
        digest=version.digest,
        state="waiting",
        created_at=now(),
    )
    session.add(submission)
    session.flush()
    session.add_all(SubmissionPersonRow(submission_id=submission.id, user_id=u) for u in people)
    session.flush()
    if version.state == bots.GOOD:
        gradings.plan_submission(session, submission.id)
    return submission


def _list_people(session: Session, assignment: AssignmentRow, bot: BotRow) -> list[int]:
    """The owners of a bot who are in the class and may hand in by now."""
    query = sql.select(GroupMemberRow.user_id).where(
        GroupMemberRow.group_id == assignment.group_id,
        GroupMemberRow.user_id.in_(bots.list_owner_ids(session, bot)),
    )
    return [
        user_id
        for user_id in session.scalars(query)
        if now() <= person_times.load_times(session, assignment, user_id).closes
    ]


def _refuse_outside_time(session: Session, assignment: AssignmentRow, identity: Identity) -> None:
    moment, closes = now(), person_times.load_times(session, assignment, identity.id).closes
    if not assignment.published or (assignment.opens_at or "") > moment:
        raise Conflict("this assignment is not open yet", "作业尚未开放")
    if moment > closes:
        raise Conflict(
            f"nothing is accepted any more: it closed at {closes}",
            f"已不再接受提交：截止于 {closes}",
        )


def describe_lateness(
    session: Session, assignment: AssignmentRow, identity: Identity
) -> Text | None:
    """What handing in now costs a person because it is late; None before their deadline, and when
    nothing is accepted any more."""
    times, moment = person_times.load_times(session, assignment, identity.id), now()
    if not times.deadline < moment <= times.closes:
        return None
    settings = gradings.parse_settings(assignment)
    return rule_words.describe_lateness(settings, count_days_late(moment, times.deadline))


def count_today(session: Session, assignment_id: int, people: list[int]) -> int:
    """How many submissions one of some people has made today, at most."""
    query = (
        sql.select(sql.func.count())
        .select_from(SubmissionPersonRow)
        .join(SubmissionRow, SubmissionRow.id == SubmissionPersonRow.submission_id)
        .where(
            SubmissionRow.assignment_id == assignment_id,
            SubmissionRow.created_at >= today(),
            SubmissionPersonRow.user_id.in_(people),
        )
        .group_by(SubmissionPersonRow.user_id)
    )
    return max(session.scalars(query), default=0)


def _refuse_too_many(
    session: Session, assignment: AssignmentRow, people: list[int], most: int
) -> None:
    session.get_one(AssignmentRow, assignment.id, with_for_update=True)
    made = count_today(session, assignment.id, people)
    if made >= (most or MAX_SUBMISSIONS_PER_PERSON):
        raise TooManyRequests(
            f"all {made} submissions of today are used; the next one is possible after midnight"
            " (UTC)",
            f"今天的 {made} 次提交已用完；零点（UTC）后可再提交",
            wait=until_tomorrow(),
        )


def get_submission(session: Session, assignment_id: int, id: int) -> SubmissionRow:
    row = session.get(SubmissionRow, id)
    if row is None or row.assignment_id != assignment_id:
        raise not_found("submission", "提交")
    return row


def is_theirs(session: Session, submission_id: int, identity: Identity) -> bool:
    """Whether a submission counts for a person."""
    return session.get(SubmissionPersonRow, (submission_id, identity.id)) is not None


def newest_version(session: Session, bot_id: int) -> VersionRow | None:
    """The newest version of a bot that was not refused."""
    query = sql.select(VersionRow).where(VersionRow.bot_id == bot_id, VersionRow.state != bots.BAD)
    return session.scalars(query.order_by(VersionRow.number.desc())).first()
