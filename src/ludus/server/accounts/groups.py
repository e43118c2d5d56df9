"""Teams, which own bots together, and groups (classes) with their rosters."""

from __future__ import annotations

import csv
import io

import sqlalchemy as sql
from msgspec import UNSET
from sqlalchemy.orm import Session

from ludus.errors import LudusError
from ludus.lang import Text
from ludus.scheduling.schema import (
    BotRow,
    GroupMemberRow,
    GroupRow,
    TeamMemberRow,
    TeamRow,
    UserRow,
)
from ludus.server.accounts import credentials, name_rules, notices, users
from ludus.server.accounts.account_schemas import (
    GroupInfo,
    NewAccount,
    RosterError,
    RosterReport,
    TeamInfo,
    TeamMember,
)
from ludus.server.accounts.identity import Identity
from ludus.server.admin import audit
from ludus.server.page_links import page_link
from ludus.server.web.errors import Conflict, NotFound, not_found

MAX_TEAMS_PER_USER = 20
"""The most teams of one person."""
MAX_TEAM_MEMBERS = 50
MAX_ROSTER_LINES = 5000
"""The most lines of a roster."""


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


# Groups


def describe_group(session: Session, group: GroupRow, identity: Identity) -> GroupInfo:
    count = session.scalar(sql.select(sql.func.count()).where(GroupMemberRow.group_id == group.id))
    return GroupInfo(
        id=group.id,
        name=group.name,
        members=count or 0,
        mine=group.id in identity.groups,
        code=group.join_code if identity.teaches(group.id) else UNSET,
    )


def list_groups(session: Session, identity: Identity) -> list[GroupInfo]:
    """All classes for the organiser, one's own for others."""
    query = sql.select(GroupRow).order_by(GroupRow.id)
    if not identity.organiser:
        query = query.where(GroupRow.id.in_(identity.groups))
    return [describe_group(session, group, identity) for group in session.scalars(query)]


def make_group(session: Session, identity: Identity, name: str) -> GroupRow:
    """Create a class with its creator as a member, and so as its teacher."""
    group = GroupRow(name=name_rules.check_title(name, 60), join_code=credentials.new_code())
    session.add(group)
    session.flush()
    add_member(session, group, identity.id)
    audit.log_action(session, identity, "group made", group=group.name)
    return group


def get_group(session: Session, group_id: int) -> GroupRow:
    if (group := session.get(GroupRow, group_id)) is None:
        raise not_found("class", "班级")
    return group


def find_group_by_code(session: Session, code: str) -> GroupRow:
    group = session.scalars(
        sql.select(GroupRow).where(GroupRow.join_code == _normalize_code(code))
    ).first()
    if group is None:
        raise _wrong_code()
    return group


def add_member(session: Session, group: GroupRow, user_id: int) -> bool:
    """Add a member; False if they were in the class already."""
    if session.get(GroupMemberRow, (group.id, user_id)) is not None:
        return False
    session.add(GroupMemberRow(group_id=group.id, user_id=user_id))
    session.flush()
    return True


def members(session: Session, group: GroupRow) -> list[UserRow]:
    query = (
        sql.select(UserRow)
        .join(GroupMemberRow, GroupMemberRow.user_id == UserRow.id)
        .where(GroupMemberRow.group_id == group.id)
        .order_by(UserRow.name_key)
    )
    return list(session.scalars(query))


def teaches_person(session: Session, identity: Identity, user_id: int | None) -> bool:
    """Whether a person is in a class that ``identity`` teaches; organisers teach everybody."""
    if identity.organiser or not identity.staff:
        return identity.organiser
    query = sql.select(GroupMemberRow.user_id).where(
        GroupMemberRow.user_id == user_id, GroupMemberRow.group_id.in_(identity.groups)
    )
    return session.scalars(query).first() is not None


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
    row = session.get(GroupMemberRow, (group_id, user_id))
    if row is None:
        raise not_found("member", "成员")
    session.delete(row)
    if user_id != identity.id:  # the removed member knows the old one
        get_group(session, group_id).join_code = credentials.new_code()


def renew_code(session: Session, identity: Identity, group: GroupRow) -> None:
    """Replace the invitation code; the old one is not valid any more."""
    group.join_code = credentials.new_code()
    audit.log_action(session, identity, "invitation renewed", group=group.name)


# Rosters


class Roster:
    """A class list as CSV: name, shown, email, password; the first line names the columns."""

    def __init__(self, text: str) -> None:
        self.created: list[NewAccount] = []
        self.joined: list[str] = []
        self.members: list[str] = []
        self.invited: list[str] = []
        self.errors: list[RosterError] = []
        self.lines = list(enumerate(_parse_csv(text), 2))
        if len(self.lines) > MAX_ROSTER_LINES:
            raise LudusError(f"at most {MAX_ROSTER_LINES} lines", f"最多 {MAX_ROSTER_LINES} 行")
        self._hashes = self._hash_passwords()

    def _hash_passwords(self) -> dict[int, str]:
        """Hashes of the given passwords by line, computed before the database is locked."""
        found = {}
        for number, row in self.lines:
            password = (row.get("password") or "").strip()
            try:
                if password:
                    credentials.check_password(password, row.get("name") or "")
                    found[number] = credentials.hash_password(password)
            except LudusError as error:
                self._add_error(number, error.text)
        return found

    def _add_error(self, line: int, why: Text) -> None:
        self.errors.append(RosterError(line, why))

    def import_into(self, session: Session, identity: Identity, group: GroupRow) -> RosterReport:
        """Create missing accounts. People with an account are invited; with an organiser's list
        they join at once."""
        wrong = {error.line for error in self.errors}
        for number, row in self.lines:
            if number not in wrong:
                try:
                    self._import_line(session, identity, group, number, row)
                except LudusError as error:
                    self._add_error(number, error.text)
        counts = {"created": len(self.created), "joined": len(self.joined)}
        counts["invited"] = len(self.invited)
        audit.log_action(session, identity, "roster read", group=group.name, **counts)
        return RosterReport(self.created, self.joined, self.members, self.invited, self.errors)

    def _import_line(
        self,
        session: Session,
        identity: Identity,
        group: GroupRow,
        number: int,
        row: dict[str, str],
    ) -> None:
        name = (row.get("name") or "").strip()
        user = users.find_user(session, name)
        if user is not None:
            if session.get(GroupMemberRow, (group.id, user.id)) is not None:
                self.members.append(user.name)
            elif identity.organiser:
                add_member(session, group, user.id)
                self.joined.append(user.name)
            else:
                _invite(session, identity, group, user)
                self.invited.append(user.name)
            return
        password = self._hashes.get(number)
        shown, email = row.get("shown") or "", row.get("email") or ""
        user = users.create_user(session, name, password or "!", shown=shown, email=email)
        add_member(session, group, user.id)
        code = "" if password else users.create_reset_code(session, identity, user)
        self.created.append(NewAccount(user.name, code))


def _invite(session: Session, identity: Identity, group: GroupRow, user: UserRow) -> None:
    code = group.join_code
    text = Text(
        f"{identity.name} invites you to the class {group.name}: join it with the code {code}",
        f"{identity.name} 邀请你加入班级“{group.name}”，邀请码：{code}",
    )
    notices.add_notices(session, [user.id], "words", text, page_link("/me"))


def _parse_csv(text: str) -> list[dict[str, str]]:
    try:
        lines = csv.reader(io.StringIO(text.removeprefix("\ufeff")), strict=True)
        table = [line for line in lines if any(cell.strip() for cell in line)]
    except csv.Error as error:
        raise LudusError(f"this is not a CSV file: {error}", f"不是有效的 CSV：{error}") from None
    if not table or "name" not in [cell.strip().lower() for cell in table[0]]:
        raise LudusError(
            "the first line must name the columns: name, shown, email, password",
            "第一行应为列名：name、shown、email、password",
        )
    head = [cell.strip().lower() for cell in table[0]]
    return [dict(zip(head, line, strict=False)) for line in table[1:]]


def _normalize_code(code: str) -> str:
    return code.strip().lower()


def _wrong_code() -> NotFound:
    return NotFound("this invitation is not valid (any more)", "邀请码无效或已失效")
