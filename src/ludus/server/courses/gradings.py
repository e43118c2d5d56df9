"""Gradings: each code of an assignment is a contest against its public rivals, and one against its
hidden ones.

Nothing is queued. A submission is a row; the background process plans its two contests when the
check of its version has ended, and contests are played like all others: from their settings, their
entrants and the bouts that are stored. So whatever process dies, the same bouts are missing
afterwards, and a unique key keeps any bout from counting twice. Equal code of one owner shares its
contests, so that it always has the same marks.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.courses.assignment import HIDDEN, PUBLIC, AssignmentSettings, Rival
from ludus.scheduling import contest_rows
from ludus.scheduling.schema import (
    AssignmentRow,
    BotRow,
    BoutRow,
    ContestRow,
    EntrantRow,
    GradingRow,
    SubmissionRow,
    VersionRow,
)
from ludus.scheduling.schema.contests import GRADING, OVER, RUNNING, STOPPED
from ludus.server.admin import site_settings
from ludus.server.bots import bots
from ludus.server.contests import contest_start, entrants
from ludus.server.courses import ladder_places
from ludus.server.courses.rivals import find_version_id
from ludus.timestamps import now

PARTS = (PUBLIC, HIDDEN)
MAX_PLANNED_AT_ONCE = 50
"""Submissions that are planned before other work of the background process goes on."""


def parse_settings(assignment: AssignmentRow) -> AssignmentSettings:
    return msgspec.convert(assignment.settings, AssignmentSettings)


def list_due(session: Session) -> list[int]:
    """Submissions that wait although the check of their version has ended."""
    query = (
        sql.select(SubmissionRow.id)
        .join(VersionRow, VersionRow.id == SubmissionRow.version_id)
        .where(SubmissionRow.state == "waiting", VersionRow.state != bots.CHECKING)
        .order_by(SubmissionRow.id)
    )
    return list(session.scalars(query.limit(MAX_PLANNED_AT_ONCE)))


def plan_submission(session: Session, submission_id: int) -> None:
    """Plan the bouts of a submission, or refuse it if its version did not pass the check."""
    submission = session.get_one(SubmissionRow, submission_id, with_for_update=True)
    if submission.state != "waiting":
        return
    if session.get_one(VersionRow, submission.version_id).state == bots.GOOD:
        submission.state = "grading"
        assignment = session.get_one(AssignmentRow, submission.assignment_id)
        ensure_gradings(session, assignment, submission)
    else:
        submission.state = "refused"


def ensure_gradings(
    session: Session, assignment: AssignmentRow, submission: SubmissionRow, *, again: bool = False
) -> None:
    """Make sure that the contests of a submission exist and have the assignment's rivals. With
    ``again`` all its bouts are played once more."""
    settings = parse_settings(assignment)
    for part in PARTS:
        rivals = settings.rivals_of(part)
        grading = find_grading(session, submission, settings.deal, part)
        if grading is None or (again and _is_over(session, grading)):
            if rivals:
                number = 0 if grading is None else grading.round + 1
                _create_grading(session, assignment, submission, part, rivals, number)
        else:
            _bring_up_to_date(session, grading, rivals)


def find_grading(
    session: Session, submission: SubmissionRow, deal: str, part: str
) -> GradingRow | None:
    """The latest grading of a submission's code."""
    query = sql.select(GradingRow).where(
        GradingRow.assignment_id == submission.assignment_id,
        GradingRow.owner == submission.owner,
        GradingRow.digest == submission.digest,
        GradingRow.deal == deal,
        GradingRow.part == part,
    )
    return session.scalars(query.order_by(GradingRow.round.desc())).first()


def _is_over(session: Session, grading: GradingRow) -> bool:
    return session.get_one(ContestRow, grading.contest_id).state in (OVER, STOPPED)


def _create_grading(
    session: Session,
    assignment: AssignmentRow,
    submission: SubmissionRow,
    part: str,
    rivals: Sequence[Rival],
    number: int,
) -> None:
    version = session.get_one(VersionRow, submission.version_id)
    bot = session.get_one(BotRow, version.bot_id)
    jail = site_settings.read_settings(session).jail
    name = f"{bot.name} #{version.number}"
    settings = parse_settings(assignment)
    terms = settings.contest_settings("grading", name, jail).frozen_fields()
    del terms["name"]
    contest = contest_start.create_contest(
        session,
        GRADING,
        assignment.title,
        terms,
        group_id=assignment.group_id,
        team_id=bot.team_id,
        hidden=part == HIDDEN,
        publishes_at=assignment.reveals_at,
    )
    contest.author_id = submission.author_id
    taken: set[str] = set()
    entrants.enter_version(session, contest, version, bot, taken)
    session.flush()
    for rival in rivals:
        _enter_rival(session, contest, rival, taken)
    session.flush()
    contest_start.begin_contest(session, contest)
    session.add(
        GradingRow(
            contest_id=contest.id,
            assignment_id=assignment.id,
            owner=submission.owner,
            digest=submission.digest,
            deal=settings.deal,
            part=part,
            round=number,
        )
    )
    session.flush()


def _enter_rival(
    session: Session, contest: ContestRow, rival: Rival, taken: set[str]
) -> EntrantRow:
    if (version_id := find_version_id(rival)) is None:
        return entrants.enter_house_bot(session, contest, rival.bot, taken)
    version = session.get_one(VersionRow, version_id)
    bot = session.get_one(BotRow, version.bot_id)
    return entrants.enter_version(session, contest, version, bot, taken)


def _bring_up_to_date(session: Session, grading: GradingRow, rivals: Sequence[Rival]) -> None:
    """Let rivals in that were added, drop those that were taken away, and go on if anything is
    missing."""
    contest = session.get_one(ContestRow, grading.contest_id)
    rows = contest_rows.list_entrants(session, contest.id)
    taken = {row.name for row in rows}
    known = {identify_entrant(row): row for row in rows[1:]}
    for rival in rivals:
        row = known.pop(rival.bot, None)
        if row is None:
            added = _enter_rival(session, contest, rival, taken)
            session.flush()
            contest_rows.join_contest(session, added)
        elif row.dropped:
            contest_rows.rejoin_entrant(session, row, 1)
    for row in known.values():
        if not row.dropped:
            contest_rows.drop_entrant(session, row, 1)
    session.flush()
    if contest.state in (OVER, STOPPED) and not is_complete(session, contest):
        contest.state, contest.stop_reason, contest.ended_at = RUNNING, None, None


def identify_entrant(entrant: EntrantRow) -> str:
    """The ``bot`` of the rival that an entrant is."""
    return entrant.house_bot or f"v{entrant.version_id}"


def is_complete(session: Session, contest: ContestRow) -> bool:
    """Whether all bouts against all rivals that are not dropped were played."""
    rows = contest_rows.list_entrants(session, contest.id)
    rivals = [row.name for row in rows[1:] if not row.dropped]
    query = sql.select(BoutRow.names).where(
        BoutRow.contest_id == contest.id, BoutRow.void.is_(False)
    )
    played = [set(names) for names in session.scalars(query)]
    wanted = contest_rows.parse_settings(contest).match.bouts
    return all(sum(name in names for names in played) >= wanted for name in rivals)


# The ladder


def list_without_places(session: Session) -> list[int]:
    """Assignments that have closed and whose places on the ladder are not fixed yet."""
    query = sql.select(AssignmentRow.id).where(
        AssignmentRow.ladder_places.is_(None),
        AssignmentRow.published.is_(True),
        AssignmentRow.closes_at <= now(),
    )
    return list(session.scalars(query))


def fix_ladder_places(session: Session, assignment_id: int) -> None:
    """Keep the places as they are now: the ladder goes on, marks do not."""
    assignment = session.get_one(AssignmentRow, assignment_id)
    places = ladder_places.find_class_places(
        session, parse_settings(assignment).game, assignment.group_id
    )
    assignment.ladder_places = {str(user): place for user, place in places.items()}
