"""Who may see and who may manage contests."""

from __future__ import annotations

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.scheduling.schema import ContestRow
from ludus.scheduling.schema.contests import (
    CHALLENGE,
    CONTEST,
    GRADING,
    LADDER,
    LOCAL,
    OVER,
    PLANNED,
    PUBLISHED,
    TEST,
)
from ludus.server.accounts import groups
from ludus.server.accounts.identity import Identity
from ludus.server.web.errors import Forbidden, NotFound, not_found
from ludus.timestamps import now


def get_contest(session: Session, id: int, *kinds: str) -> ContestRow:
    """A contest of the server, of certain kinds if any are named; NotFound otherwise."""
    contest = session.get(ContestRow, id)
    if contest is None or contest.kind == LOCAL or (kinds and contest.kind not in kinds):
        raise not_found("contest", "比赛")
    return contest


def can_manage(contest: ContestRow, identity: Identity) -> bool:
    """Whether they are the organiser, the staff member who created it, or a teacher of its
    class. The author of a grading is the person who handed it in."""
    if identity.organiser or not identity.staff:
        return identity.organiser
    author = contest.author_id == identity.id and contest.kind != GRADING
    return author or contest.group_id in identity.teaching


def is_draft(contest: ContestRow) -> bool:
    """Whether it is a copy of which nobody was told yet: sign-up has neither begun nor a time."""
    return contest.kind == CONTEST and contest.state == PLANNED and contest.opens_at is None


def knows_draft(contest: ContestRow, identity: Identity) -> bool:
    return can_manage(contest, identity) or contest.group_id in identity.assisting


def without_drafts(identity: Identity) -> sql.ColumnElement[bool]:
    """The condition under which a contest is no draft, or ``knows_draft`` is true."""
    if identity.organiser:
        return sql.true()
    told = sql.or_(ContestRow.state != PLANNED, ContestRow.opens_at.is_not(None))
    own = ContestRow.author_id == identity.id if identity.staff else sql.false()
    return sql.or_(told, own, ContestRow.group_id.in_(identity.assisting))


def require_manager(contest: ContestRow, identity: Identity) -> None:
    identity.require_staff()
    if not can_manage(contest, identity):
        raise Forbidden(
            "only its author, the teachers of its class and admins can manage this contest",
            "它由创建者、所属班级的教师和管理员负责",
        )


def require_class_in_use(session: Session, contest: ContestRow) -> None:
    """Refuse to change a contest of an archived class."""
    if contest.group_id is not None:
        groups.get_group_in_use(session, contest.group_id)


def get_visible_seed(contest: ContestRow, identity: Identity) -> int | None:
    """The seed that fixes all chance in a contest, or None if ``identity`` may not know it.

    It reveals every random event, so only managers see it before the contest is over; a ladder's is
    never shown, and that of gradings, which all of an assignment share, to managers only.
    """
    is_public = contest.state in (OVER, PUBLISHED) and contest.kind != GRADING
    shown = is_public or can_manage(contest, identity)
    return contest.settings.get("seed", 0) if shown and contest.kind != LADDER else None


def can_see(contest: ContestRow, identity: Identity) -> bool:
    """Whether ``identity`` may see its bouts and tables."""
    if can_manage(contest, identity) or contest.group_id in identity.assisting:
        return True
    if contest.group_id is not None and contest.group_id not in identity.groups:
        return False
    if contest.kind == TEST:  # private to its author
        return identity.is_logged_in and contest.author_id == identity.id
    if contest.kind == GRADING:  # private to those who submitted it
        submitted = contest.author_id == identity.id or contest.team_id in identity.teams
        return identity.is_logged_in and submitted and not is_secret(contest)
    if contest.kind == CHALLENGE:
        return True
    return not (contest.hidden and contest.state != PUBLISHED)


def is_secret(contest: ContestRow) -> bool:
    """Whether it is a grading against hidden rivals whose time has not come: until then only the
    staff of its class knows of it."""
    revealed = contest.publishes_at is not None and contest.publishes_at <= now()
    return contest.kind == GRADING and contest.hidden and not revealed


def visible_to(identity: Identity) -> sql.ColumnElement[bool]:
    """The condition under which ``can_see`` is true, for queries over contests."""
    if identity.organiser:
        return sql.true()
    own = ContestRow.author_id == identity.id if identity.is_logged_in else sql.false()
    submitted = sql.or_(own, ContestRow.team_id.in_(identity.teams))
    revealed = sql.or_(ContestRow.hidden.is_(False), ContestRow.publishes_at <= now())
    in_groups = ContestRow.group_id.in_(identity.groups)
    shown = sql.and_(
        sql.or_(ContestRow.group_id.is_(None), in_groups),
        sql.case(
            (ContestRow.kind == TEST, own),
            (ContestRow.kind == GRADING, sql.and_(submitted, revealed)),
            (ContestRow.kind == CHALLENGE, sql.true()),
            else_=sql.or_(ContestRow.hidden.is_(False), ContestRow.state == PUBLISHED),
        ),
    )
    assisted = ContestRow.group_id.in_(identity.assisting)
    author = sql.and_(own, ContestRow.kind != GRADING)
    return sql.or_(author, assisted, shown) if identity.staff else sql.or_(assisted, shown)


def require_visible(contest: ContestRow, identity: Identity) -> ContestRow:
    if not can_see(contest, identity):
        raise NotFound("this is not shown yet, or not to you", "此内容尚未公布，或不对你公开")
    return contest
