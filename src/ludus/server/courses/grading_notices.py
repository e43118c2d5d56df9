"""Telling those who handed in that their bouts were played."""

from __future__ import annotations

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.courses.assignment import HIDDEN
from ludus.lang import Text
from ludus.scheduling.schema import ContestRow, GradingRow, SubmissionPersonRow, SubmissionRow
from ludus.scheduling.schema.contests import OVER, STOPPED
from ludus.server.accounts import notices
from ludus.server.courses import mark_book
from ludus.server.page_links import page_link


def notify_of_end(session: Session, contest: ContestRow) -> None:
    """Tell those who submitted that the public bouts are played; hidden ones are not mentioned. Of
    a regrade they hear only if a bout ended otherwise."""
    grading = session.get(GradingRow, contest.id)
    if grading is None or grading.part == HIDDEN:
        return
    text = _describe_end(session, grading, contest)
    if text is not None:
        people = _list_people(session, grading)
        link = page_link("/assignments/:id", grading.assignment_id)
        notices.add_notices(session, people, "grading", text, link)


def _describe_end(session: Session, grading: GradingRow, contest: ContestRow) -> Text | None:
    if contest.state == STOPPED:
        why = Text.of(contest.stop_reason or {})
        return Text(
            f"The grading for {contest.name} was stopped: {why.en}",
            f"“{contest.name}”的评测已中止：{why.zh}",
        )
    earlier = _find_earlier_round(session, grading)
    if earlier is None:
        return Text(
            f"Your submission for {contest.name} was graded",
            f"你在“{contest.name}”中的提交已评测",
        )
    bouts = mark_book.load_bouts(session, [earlier, contest.id])
    if not mark_book.count_changed(bouts[earlier], bouts[contest.id]):
        return None
    return Text(
        f"Your submission for {contest.name} was graded again, and some bouts ended otherwise",
        f"你在“{contest.name}”中的提交已重评，部分对局结果与之前不同",
    )


def _find_earlier_round(session: Session, grading: GradingRow) -> int | None:
    """The contest of the last round before that was played to its end; None if there is none."""
    query = (
        sql.select(GradingRow.contest_id)
        .join(ContestRow, ContestRow.id == GradingRow.contest_id)
        .where(
            GradingRow.assignment_id == grading.assignment_id,
            GradingRow.owner == grading.owner,
            GradingRow.digest == grading.digest,
            GradingRow.deal == grading.deal,
            GradingRow.part == grading.part,
            GradingRow.round < grading.round,
            ContestRow.state == OVER,
        )
    )
    return session.scalars(query.order_by(GradingRow.round.desc())).first()


def _list_people(session: Session, grading: GradingRow) -> set[int]:
    query = (
        sql.select(SubmissionPersonRow.user_id)
        .join(SubmissionRow, SubmissionRow.id == SubmissionPersonRow.submission_id)
        .where(
            SubmissionRow.assignment_id == grading.assignment_id,
            SubmissionRow.owner == grading.owner,
            SubmissionRow.digest == grading.digest,
        )
    )
    return set(session.scalars(query))
