"""Importing a class list: who is new, who is there already, and which lines are wrong.

A plan is made first; a preview shows it, and an import carries it out, so that both agree. A person
is known again by the student number, the account or (in lists without either) by name and section,
so that importing a list twice changes nothing.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec
import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.courses.sheet_reader import read_sheet
from ludus.errors import LudusError
from ludus.lang import Text
from ludus.scheduling.schema import GroupMemberRow, GroupRow, UserRow
from ludus.server.accounts import activation, credentials, groups, name_rules, notices, users
from ludus.server.accounts.account_schemas import (
    NewAccount,
    RosterError,
    RosterHeading,
    RosterPerson,
    RosterPersonState,
    RosterPreview,
    RosterReport,
)
from ludus.server.accounts.identity import Identity
from ludus.server.accounts.roster_columns import RosterLine, parse_roster
from ludus.server.admin import audit
from ludus.server.database import Database
from ludus.server.page_links import page_link

GIVEN_NAME_LETTERS = 7
LINES_AT_ONCE = 200
"""The most lines of one transaction: half a second of work, for which other writers wait."""
ROSTER_FIELDS = ("student_number", "real_name", "section")
"""Columns of a member that come from the class list."""


@dataclass
class PlannedLine:
    """What is to be done with one line of a class list."""

    line: RosterLine
    state: RosterPersonState
    user: UserRow | None = None
    """The account of a person who has one."""
    error: Text | None = None


class Roster:
    """A class list that was read, with the passwords in it hashed."""

    def __init__(self, data: bytes) -> None:
        self.table = parse_roster(read_sheet(data))
        self._errors: dict[int, Text] = {}
        self._hashes = self._hash_passwords()

    def _hash_passwords(self) -> dict[int, str]:
        """Hashes of the given passwords by line, computed before the database is locked."""
        found = {}
        for each in self.table.lines:
            try:
                if each.password and each.error is None:
                    credentials.check_password(each.password, each.account)
                    found[each.line] = credentials.hash_password(each.password)
            except LudusError as error:
                self._errors[each.line] = error.text
        return found

    # The plan

    def plan(
        self,
        session: Session,
        identity: Identity,
        group: GroupRow,
        lines: Sequence[RosterLine] | None = None,
    ) -> list[PlannedLine]:
        """What an import of all lines, or of some, would do now, line by line."""
        known = _KnownPeople(session, identity, group)
        wanted = self.table.lines if lines is None else lines
        return [self._plan_line(session, known, each) for each in wanted]

    def _plan_line(self, session: Session, known: _KnownPeople, line: RosterLine) -> PlannedLine:
        if why := line.error or self._errors.get(line.line):
            return PlannedLine(line, "wrong", error=why)
        if (member := known.find_member(line)) is not None:
            state: RosterPersonState = "changed" if _find_changes(member[1], line) else "member"
            return PlannedLine(line, state, member[0])
        if (user := known.find_elsewhere(session, line)) is not None:
            return PlannedLine(line, "joins" if known.may_add(user) else "invited", user)
        try:
            if line.account:
                known.check_new_account(line.account)
            users.check_email(line.email)
        except LudusError as error:
            return PlannedLine(line, "wrong", error=error.text)
        return PlannedLine(line, "new")

    def preview(self, session: Session, identity: Identity, group: GroupRow) -> RosterPreview:
        """What was understood of the list, and what an import would do with each line."""
        people = [
            RosterPerson(
                line=each.line.line,
                state=each.state,
                number=each.line.number,
                real_name=each.line.real_name,
                section=each.line.section,
                email=each.line.email,
                account=each.user.name if each.user is not None else each.line.account,
                why=each.error,
            )
            for each in self.plan(session, identity, group)
        ]
        headings = [RosterHeading(*each) for each in self.table.headings if each[0]]
        return RosterPreview(headings, people, dict(Counter(each.state for each in people)))

    # The import

    def import_into(self, database: Database, identity: Identity, group_id: int) -> RosterReport:
        """Create missing accounts. People with an account are invited; with an organiser's list,
        or if they are in another class of the same staff, they join at once.

        Long lists are written in batches, so that others can write in between. An import that was
        cut short is completed by importing the list again.
        """
        report, lines = RosterReport([], [], [], [], [], []), self.table.lines
        for start in range(0, max(1, len(lines)), LINES_AT_ONCE):
            with database.writing() as session:
                group = groups.get_group_in_use(session, group_id)
                some = self._import_lines(
                    session, identity, group, lines[start : start + LINES_AT_ONCE]
                )
            for key in msgspec.structs.asdict(report):
                getattr(report, key).extend(getattr(some, key))
        return report

    def _import_lines(
        self, session: Session, identity: Identity, group: GroupRow, lines: Sequence[RosterLine]
    ) -> RosterReport:
        report = RosterReport([], [], [], [], [], [])
        for each in self.plan(session, identity, group, lines):
            try:
                self._import_line(session, identity, group, each, report)
            except LudusError as error:
                report.errors.append(RosterError(each.line.line, error.text))
        counts = {
            key: len(getattr(report, key)) for key in ("created", "joined", "changed", "invited")
        }
        audit.log_action(session, identity, "roster read", group=group.name, **counts)
        return report

    def _import_line(
        self,
        session: Session,
        identity: Identity,
        group: GroupRow,
        planned: PlannedLine,
        report: RosterReport,
    ) -> None:
        line, user = planned.line, planned.user
        if planned.state == "wrong":
            assert planned.error is not None
            report.errors.append(RosterError(line.line, planned.error))
        elif user is None:
            report.created.append(self._create_account(session, identity, group, line))
        elif planned.state == "invited":
            _invite(session, identity, group, user)
            report.invited.append(user.name)
        elif planned.state == "joins":
            groups.add_member(session, group, user.id)
            _write_fields(session, group, user.id, line)
            report.joined.append(user.name)
        else:
            _write_fields(session, group, user.id, line)
            report.members.append(user.name)
            if planned.state == "changed":
                report.changed.append(user.name)

    def _create_account(
        self, session: Session, identity: Identity, group: GroupRow, line: RosterLine
    ) -> NewAccount:
        password = self._hashes.get(line.line)
        hashed = password or users.NO_PASSWORD
        shown = users.check_display_name(session, line.display_name) if line.display_name else ""
        name = name_rules.check_user_name(line.account or _draw_account_name(session))
        user = users.add_user(session, name, hashed, shown=shown, email=line.email)
        groups.add_member(session, group, user.id)
        _write_fields(session, group, user.id, line)
        code = "" if password else activation.create_code(session, user)
        return NewAccount(user.name, code, line.number, line.real_name, line.section, line.email)


class _KnownPeople:
    """The people whom a class list may mean, looked up once for all its lines."""

    def __init__(self, session: Session, identity: Identity, group: GroupRow) -> None:
        self.session = session
        self.identity = identity
        here = groups.list_members(session, group)
        self.by_number = {
            member.student_number.casefold(): (user, member)
            for user, member in here
            if member.student_number
        }
        self.by_account = {user.name_key: (user, member) for user, member in here}
        self.by_name = {
            (member.real_name, member.section): (user, member)
            for user, member in here
            if member.real_name
        }
        self.elsewhere = self._list_numbers_elsewhere(group)
        self.skeletons = users.list_skeletons(session)

    def _list_numbers_elsewhere(self, group: GroupRow) -> Mapping[str, int]:
        """The accounts of students of other classes that the same person belongs to the staff of.
        Of other classes nothing may be learned, not even that a number is known there."""
        query = sql.select(GroupMemberRow.student_number, GroupMemberRow.user_id).where(
            GroupMemberRow.student_number != "", GroupMemberRow.group_id != group.id
        )
        if not self.identity.organiser:
            query = query.where(GroupMemberRow.group_id.in_(self.identity.teaching))
        return {number.casefold(): user_id for number, user_id in self.session.execute(query)}

    def find_member(self, line: RosterLine) -> tuple[UserRow, GroupMemberRow] | None:
        """The member of the class whom a line means."""
        if line.number and (found := self.by_number.get(line.number.casefold())):
            return found
        if line.account:
            return self.by_account.get(name_rules.fold_name(line.account))
        return None if line.number else self.by_name.get((line.real_name, line.section))

    def find_elsewhere(self, session: Session, line: RosterLine) -> UserRow | None:
        """The account of a person who is not in the class."""
        if line.account:
            return users.find_user(session, line.account)
        user_id = self.elsewhere.get(line.number.casefold()) if line.number else None
        return None if user_id is None else session.get_one(UserRow, user_id)

    def may_add(self, user: UserRow) -> bool:
        """Whether a person joins without being asked."""
        return self.identity.organiser or user.id in self.elsewhere.values()

    def check_new_account(self, name: str) -> None:
        """Refuse an account's name that is not allowed, or like one of the site or this list."""
        if name_rules.claims_staff_role(name):
            users.check_free_name(self.session, name)
        look = name_rules.skeleton(name_rules.check_user_name(name))
        if look in self.skeletons:
            raise LudusError(f"the name {name!r} is taken", f"用户名 {name!r} 已被使用")
        self.skeletons.add(look)


def _find_changes(member: GroupMemberRow, line: RosterLine) -> dict[str, str]:
    """What a line says of a member that the class does not know; what it leaves out stays."""
    given = dict(zip(ROSTER_FIELDS, (line.number, line.real_name, line.section), strict=True))
    return {key: value for key, value in given.items() if value and getattr(member, key) != value}


def _write_fields(session: Session, group: GroupRow, user_id: int, line: RosterLine) -> None:
    member = groups.get_member(session, group.id, user_id)
    for key, value in _find_changes(member, line).items():
        setattr(member, key, value)


def _draw_account_name(session: Session) -> str:
    """A name that says nothing of its owner, who may choose another one with the code. Student
    numbers and real names would be public as names of accounts."""
    while True:
        letters = "".join(
            secrets.choice(credentials.CODE_LETTERS) for _ in range(GIVEN_NAME_LETTERS)
        )
        if users.find_user(session, name := f"s-{letters}") is None:
            return name


def _invite(session: Session, identity: Identity, group: GroupRow, user: UserRow) -> None:
    code, name = group.join_code, users.get_shown_name(session, identity.id)
    text = Text(
        f"{name} invites you to the class {group.name}: join it with the code {code}",
        f"{name} 邀请你加入班级“{group.name}”，邀请码：{code}",
    )
    notices.add_notices(session, [user.id], "words", text, page_link("/me"))
