"""Teams, which own bots together, and groups (classes) with their members."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sql
from msgspec import UNSET
from sqlalchemy.orm import Session

from ludus.scheduling.schema import (
    AssignmentRow,
    BotRow,
    ContestRow,
    GroupMemberRow,
    GroupRow,
    TeamMemberRow,
    TeamRow,
    UserRow,
)
from ludus.scheduling.schema.contests import CONTEST
from ludus.server.accounts import credentials, name_rules, users
from ludus.server.accounts.account_schemas import (
    FirstSteps,
    GroupInfo,
    GroupMember,
    TeamInfo,
    TeamMember,
)
from ludus.server.accounts.identity import STAFF, Identity
from ludus.server.admin import audit
from ludus.server.vocabulary import GroupRole
from ludus.server.web.errors import Conflict, NotFound, not_found
from ludus.timestamps import now

MAX_TEAMS_PER_USER = 20
"""The most teams of one person."""
MAX_TEAM_MEMBERS = 50


# Teams


def describe_team(session: Session, team: TeamRow, identity: Identity) -> TeamInfo:
    query = (
        sql.select(UserRow.id, UserRow.name, TeamMemberRow.captain)
        .join(TeamMemberRow, TeamMemberRow.user_id == UserRow.id)
        .where(TeamMemberRow.team_id == team.id)
        .order_by(UserRow.name)
    )
    list_members = [TeamMember(id, name, captain) for id, name, captain in session.execute(query)]
    mine = any(member.id == identity.id for member in list_members)
    return TeamInfo(team.id, team.name, list_members, team.join_code if mine else UNSET)


def list_teams(session: Session, identity: Identity) -> list[TeamInfo]:
    query = (
        sql.select(TeamRow)
        .join(TeamMemberRow, TeamMemberRow.team_id == TeamRow.id)
        .where(TeamMemberRow.user_id == identity.id)
        .order_by(TeamRow.id)
    )
    return [describe_team(session, team, identity) for team in session.scalars(query)]


def make_team(session: Session, identity: Identity, name: str) -> TeamRow:
    name = name_rules.check_title(name)
    if len(identity.teams) >= MAX_TEAMS_PER_USER:
        raise Conflict(f"at most {MAX_TEAMS_PER_USER} teams", f"最多 {MAX_TEAMS_PER_USER} 个队伍")
    query = sql.select(TeamRow.id).where(TeamRow.name_key == name_rules.fold_name(name))
    if session.scalars(query).first() is not None:
        raise Conflict(f"there is a team {name!r} already", f"已有名为 {name!r} 的队伍")
    team = TeamRow(name=name, name_key=name_rules.fold_name(name), join_code=credentials.new_code())
    session.add(team)
    session.flush()
    session.add(TeamMemberRow(team_id=team.id, user_id=identity.id, captain=True))
    return team


def join_team(session: Session, identity: Identity, code: str) -> TeamRow:
    team = session.scalars(
        sql.select(TeamRow).where(TeamRow.join_code == _normalize_code(code))
    ).first()
    if team is None:
        raise _wrong_code()
    if session.get(TeamMemberRow, (team.id, identity.id)) is None:
        count = session.scalar(sql.select(sql.func.count()).where(TeamMemberRow.team_id == team.id))
        if (count or 0) >= MAX_TEAM_MEMBERS:
            raise Conflict("the team is full", "队伍已满")
        session.add(TeamMemberRow(team_id=team.id, user_id=identity.id, captain=False))
    return team


def leave_team(session: Session, identity: Identity, team_id: int, user_id: int) -> None:
    """Leave a team, or remove another member as its captain or organiser. The bots of a team go to
    its last member."""
    team, member = session.get(TeamRow, team_id), session.get(TeamMemberRow, (team_id, user_id))
    if team is None or (member is None and team_id not in identity.teams):
        raise not_found("team", "队伍")
    mine = session.get(TeamMemberRow, (team_id, identity.id))
    captain = mine is not None and mine.captain
    audit.authorize(
        session,
        identity,
        "team member removed",
        own=user_id == identity.id or captain,
        power=identity.organiser,
        team=team.name,
        user=user_id,
    )
    if member is None:
        raise not_found("member", "成员")
    session.delete(member)
    session.flush()
    team.join_code = credentials.new_code()  # the former member knows the old one
    if not _appoint_captain(session, team_id):  # otherwise the team's bots would be lost
        theirs = sql.update(BotRow).where(BotRow.team_id == team_id)
        session.execute(theirs.values(team_id=None, user_id=user_id))


def _appoint_captain(session: Session, team_id: int) -> bool:
    """Make sure that a team has a captain; False if it has no members left."""
    query = sql.select(TeamMemberRow).where(TeamMemberRow.team_id == team_id)
    left = list(session.scalars(query.order_by(TeamMemberRow.user_id)))
    if left and not any(member.captain for member in left):
        left[0].captain = True
    return bool(left)


# Classes


def describe_group(session: Session, group: GroupRow, identity: Identity) -> GroupInfo:
    count = session.scalar(sql.select(sql.func.count()).where(GroupMemberRow.group_id == group.id))
    return GroupInfo(
        id=group.id,
        name=group.name,
        members=count or 0,
        mine=group.id in identity.groups,
        role=_get_own_role(group, identity),
        archived=group.archived_at,
        code=group.join_code if identity.assists(group.id) else UNSET,
    )


def _get_own_role(group: GroupRow, identity: Identity) -> GroupRole | None:
    """What the person who asks may do in a class; None: they have nothing to do with it."""
    if identity.teaches(group.id):
        return "teacher"
    if identity.assists(group.id):
        return "assistant"
    return "student" if group.id in identity.groups else None


def list_groups(session: Session, identity: Identity, *, archived: bool = False) -> list[GroupInfo]:
    """All classes for the organiser, one's own for others; those in use, or the archived ones."""
    in_use = GroupRow.archived_at.is_(None)
    query = sql.select(GroupRow).where(sql.not_(in_use) if archived else in_use)
    if not identity.organiser:
        query = query.where(GroupRow.id.in_(identity.groups))
    return [
        describe_group(session, group, identity)
        for group in session.scalars(query.order_by(GroupRow.id))
    ]


def make_group(session: Session, identity: Identity, name: str) -> GroupRow:
    """Create a class with its creator as its teacher."""
    group = GroupRow(name=name_rules.check_title(name, 60), join_code=credentials.new_code())
    session.add(group)
    session.flush()
    session.add(GroupMemberRow(group_id=group.id, user_id=identity.id, role="teacher"))
    session.flush()
    audit.log_action(session, identity, "group made", group=group.name)
    return group


def get_group(session: Session, group_id: int) -> GroupRow:
    if (group := session.get(GroupRow, group_id)) is None:
        raise not_found("class", "班级")
    return group


def get_group_in_use(session: Session, group_id: int) -> GroupRow:
    """A class that may be changed; Conflict if it is archived."""
    group = get_group(session, group_id)
    if group.archived_at is not None:
        raise Conflict(
            f"the class {group.name} is archived: it can only be looked at, unless a teacher brings"
            " it back",
            f"班级“{group.name}”已归档，只能查看，除非教师将其恢复",
            code="archived",
        )
    return group


def change_group(
    session: Session, identity: Identity, group: GroupRow, name: str | None, archived: bool | None
) -> None:
    """Rename a class, archive it or bring it back."""
    before = _list_facts(group)
    if archived is False:
        group.archived_at = None
    if name is not None:
        group.name = name_rules.check_title(name, 60)
    if archived and group.archived_at is None:
        group.archived_at = now()
    changes = audit.list_changes(before, _list_facts(group))
    audit.log_action(session, identity, "class changed", group=group.name, changes=changes)


def _list_facts(group: GroupRow) -> dict[str, Any]:
    """For the audit log."""
    return {"name": group.name, "archived": group.archived_at is not None}


def find_group_by_code(session: Session, code: str) -> GroupRow:
    """The class that an invitation is for; an archived class has no invitation."""
    group = session.scalars(
        sql.select(GroupRow).where(
            GroupRow.join_code == _normalize_code(code), GroupRow.archived_at.is_(None)
        )
    ).first()
    if group is None:
        raise _wrong_code()
    return group


def add_member(session: Session, group: GroupRow, user_id: int) -> GroupMemberRow | None:
    """Add a member: a teacher's account as a teacher, any other as a student. None if they were
    in the class already."""
    if session.get(GroupMemberRow, (group.id, user_id)) is not None:
        return None
    is_staff = session.get_one(UserRow, user_id).role in STAFF
    member = GroupMemberRow(
        group_id=group.id, user_id=user_id, role="teacher" if is_staff else "student"
    )
    session.add(member)
    session.flush()
    return member


def members(session: Session, group: GroupRow) -> list[UserRow]:
    return [user for user, _ in list_members(session, group)]


def list_members(session: Session, group: GroupRow) -> list[tuple[UserRow, GroupMemberRow]]:
    """The members of a class with what the roster says of them."""
    query = (
        sql.select(UserRow, GroupMemberRow)
        .join(GroupMemberRow, GroupMemberRow.user_id == UserRow.id)
        .where(GroupMemberRow.group_id == group.id)
        .order_by(GroupMemberRow.student_number, UserRow.name_key)
    )
    return [(user, member) for user, member in session.execute(query)]


def describe_members(session: Session, group: GroupRow) -> list[GroupMember]:
    """The members of a class, for its staff."""
    teams = _list_team_names(session, group.id)
    return [
        GroupMember(
            id=user.id,
            name=user.name,
            shown=user.display_name,
            role=_effective_role(user, member),
            number=member.student_number,
            real_name=member.real_name,
            section=member.section,
            activated=users.has_password(user),
            joined=user.created_at,
            teams=teams.get(user.id, []),
        )
        for user, member in list_members(session, group)
    ]


def _effective_role(user: UserRow, member: GroupMemberRow) -> GroupRole:
    """A teacher of the class whose account is a student's now teaches no more."""
    return "student" if member.role == "teacher" and user.role not in STAFF else member.role


def _list_team_names(session: Session, group_id: int) -> dict[int, list[str]]:
    """The teams of the members of a class, by user."""
    query = (
        sql.select(TeamMemberRow.user_id, TeamRow.name)
        .join(TeamRow, TeamRow.id == TeamMemberRow.team_id)
        .join(GroupMemberRow, GroupMemberRow.user_id == TeamMemberRow.user_id)
        .where(GroupMemberRow.group_id == group_id)
        .order_by(TeamRow.name)
    )
    found: dict[int, list[str]] = {}
    for user_id, name in session.execute(query):
        found.setdefault(user_id, []).append(name)
    return found


def find_first_steps(session: Session, group: GroupRow) -> FirstSteps:
    """How far a class has been set up."""
    students = [user for user, member in list_members(session, group) if member.role == "student"]
    assignment = sql.select(AssignmentRow.id).where(AssignmentRow.group_id == group.id)
    contest = sql.select(ContestRow.id).where(
        ContestRow.group_id == group.id, ContestRow.kind == CONTEST
    )
    return FirstSteps(
        roster=bool(students),
        invitation=any(users.has_password(user) for user in students),
        assignment=session.scalars(assignment.limit(1)).first() is not None,
        contest=session.scalars(contest.limit(1)).first() is not None,
    )


def teaches_person(session: Session, identity: Identity, user_id: int | None) -> bool:
    """Whether a person is in a class that ``identity`` teaches; organisers teach everybody."""
    if identity.organiser or not identity.staff:
        return identity.organiser
    query = sql.select(GroupMemberRow.user_id).where(
        GroupMemberRow.user_id == user_id, GroupMemberRow.group_id.in_(identity.teaching)
    )
    return session.scalars(query).first() is not None


def get_member(session: Session, group_id: int, user_id: int) -> GroupMemberRow:
    if (member := session.get(GroupMemberRow, (group_id, user_id))) is None:
        raise not_found("member", "成员")
    return member


def change_role(
    session: Session, identity: Identity, group: GroupRow, user_id: int, role: GroupRole
) -> None:
    """Give a member another role in the class. At least one teacher remains, and only teachers'
    accounts teach."""
    member = get_member(session, group.id, user_id)
    user = session.get_one(UserRow, user_id)
    if role == "teacher" and user.role not in STAFF:
        raise Conflict(
            f"{user.name} has a student's account; ask an admin to make it a teacher's, or make"
            f" {user.name} an assistant",
            f"{user.name} 是学生账号；请管理员改为教师账号，或设为助教",
        )
    if member.role == "teacher" and role != "teacher":
        _refuse_last_teacher(session, group.id, user_id)
    was, member.role = member.role, role
    audit.log_action(
        session, identity, "class role changed", group=group.name, user=user.name, was=was, now=role
    )


def _refuse_last_teacher(session: Session, group_id: int, user_id: int) -> None:
    others = sql.select(GroupMemberRow.user_id).where(
        GroupMemberRow.group_id == group_id,
        GroupMemberRow.user_id != user_id,
        GroupMemberRow.role == "teacher",
    )
    if session.scalars(others).first() is None:
        raise Conflict(
            "a class needs a teacher; give the role to another member first",
            "班级至少需要一名教师；请先让另一名成员担任教师",
        )


def remove_member(session: Session, identity: Identity, group_id: int, user_id: int) -> None:
    """Remove oneself, or anybody as a teacher of the class."""
    audit.authorize(
        session,
        identity,
        "group member removed",
        own=user_id == identity.id,
        power=identity.teaches(group_id),
        group=group_id,
        user=user_id,
    )
    row = get_member(session, group_id, user_id)
    group = get_group_in_use(session, group_id)
    if row.role == "teacher":
        _refuse_last_teacher(session, group_id, user_id)
    session.delete(row)
    if user_id != identity.id:  # the removed member knows the old one
        group.join_code = credentials.new_code()


def renew_code(session: Session, identity: Identity, group: GroupRow) -> None:
    """Replace the invitation code; the old one is not valid any more."""
    group.join_code = credentials.new_code()
    audit.log_action(session, identity, "invitation renewed", group=group.name)


def _normalize_code(code: str) -> str:
    return code.strip().lower()


def _wrong_code() -> NotFound:
    return NotFound("this invitation is not valid (any more)", "邀请码无效或已失效")
