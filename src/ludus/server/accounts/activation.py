"""Activation: with a code of their own, people for whom a teacher created an account choose its
name and password and are logged in; so people on a class list do not need "forgot password"."""

from __future__ import annotations

from typing import TypeVar

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.scheduling.schema import (
    DeadlineExtensionRow,
    GroupMemberRow,
    GroupRow,
    PasswordResetRow,
    PersonMarkRow,
    UserRow,
)
from ludus.server.accounts import credentials, groups, name_rules, sessions, users
from ludus.server.accounts.account_schemas import ActivationInfo, NewAccount
from ludus.server.accounts.identity import Identity
from ludus.server.admin import audit
from ludus.server.web.errors import Conflict, NotFound
from ludus.timestamps import now, now_plus

CODE_LIFETIME_S = 30 * 86400
OfStudent = TypeVar("OfStudent", PersonMarkRow, DeadlineExtensionRow)
"""What a teacher has given to a student for an assignment."""


def create_code(session: Session, user: UserRow) -> str:
    """A new code for an account without a password; earlier ones are not valid any more."""
    code = credentials.new_code()
    session.execute(sql.delete(PasswordResetRow).where(PasswordResetRow.user_id == user.id))
    session.add(
        PasswordResetRow(
            digest=credentials.digest(code),
            user_id=user.id,
            expires_at=now_plus(CODE_LIFETIME_S),
        )
    )
    return code


def reissue_codes(session: Session, identity: Identity, group: GroupRow) -> list[NewAccount]:
    """New codes for all members of a class who have not chosen a password yet."""
    strangers = _list_members_elsewhere(session, identity, group)
    found = [
        _renew_code(session, user, member, knows_email=user.id not in strangers)
        for user, member in groups.list_members(session, group)
        if user.active and not users.has_password(user)
    ]
    audit.log_action(session, identity, "codes reissued", group=group.name, people=len(found))
    return found


def reissue_code(session: Session, identity: Identity, group: GroupRow, user_id: int) -> NewAccount:
    """A new code for one member of a class; Conflict if they have chosen a password already."""
    member = groups.get_member(session, group.id, user_id)
    user = session.get_one(UserRow, user_id)
    if not user.active or users.has_password(user):
        raise Conflict(
            f"{user.name} has chosen a password already; an admin can reset it",
            f"{user.name} 已设置密码；管理员可以重设",
        )
    strangers = _list_members_elsewhere(session, identity, group)
    made = _renew_code(session, user, member, knows_email=user.id not in strangers)
    audit.log_action(session, identity, "codes reissued", group=group.name, user=user.name)
    return made


def _renew_code(
    session: Session, user: UserRow, member: GroupMemberRow, *, knows_email: bool
) -> NewAccount:
    return NewAccount(
        user.name,
        create_code(session, user),
        member.student_number,
        member.real_name,
        member.section,
        user.email if knows_email else "",
    )


def _list_members_elsewhere(session: Session, identity: Identity, group: GroupRow) -> set[int]:
    """Members who are in a class that ``identity`` does not teach, too: their e-mail addresses may
    come from its roster."""
    if identity.organiser:
        return set()
    here = sql.select(GroupMemberRow.user_id).where(GroupMemberRow.group_id == group.id)
    query = sql.select(GroupMemberRow.user_id).where(
        GroupMemberRow.user_id.in_(here), GroupMemberRow.group_id.not_in(identity.teaching)
    )
    return set(session.scalars(query))


def find_account(session: Session, code: str) -> UserRow:
    """The account that a code activates; NotFound if there is none."""
    row = session.get(PasswordResetRow, credentials.digest(code.strip().lower()))
    user = session.get(UserRow, row.user_id) if row is not None and row.expires_at > now() else None
    if user is None or not user.active or users.has_password(user):
        raise NotFound(
            "this link is not valid any more: it was used, replaced or has expired."
            " If you have chosen a password, log in; otherwise ask your teacher for a new link",
            "该链接已失效：已被使用、已更换或已过期。若你已设置密码，请直接登录；否则请向老师索取新链接",
        )
    return user


def describe_account(session: Session, code: str) -> ActivationInfo:
    """Whom a code is for, as its holder may see it."""
    user = find_account(session, code)
    query = (
        sql.select(GroupRow.name, GroupMemberRow.real_name, GroupMemberRow.student_number)
        .join(GroupMemberRow, GroupMemberRow.group_id == GroupRow.id)
        .where(GroupMemberRow.user_id == user.id)
        .order_by(GroupRow.id)
    )
    rows = session.execute(query).all()
    real_name = next((row.real_name for row in rows if row.real_name), "")
    number = next((row.student_number for row in rows if row.student_number), "")
    return ActivationInfo(user.name, real_name, number, [row.name for row in rows])


def activate(session: Session, code: str, name: str, hashed: str) -> UserRow:
    """Use up a code: the account gets the chosen name and password. It was never used, so nothing
    refers to it by its old name."""
    user = find_account(session, code)
    if name_rules.fold_name(name.strip()) != user.name_key:
        user.name = users.check_free_name(session, name)
        user.name_key = name_rules.fold_name(user.name)
    user.password_hash = hashed
    session.execute(sql.delete(PasswordResetRow).where(PasswordResetRow.user_id == user.id))
    audit.log_action(session, Identity(user.id, user.name), "account activated")
    return user


def claim(session: Session, identity: Identity, code: str) -> list[int]:
    """Use up a code for a person who has an account already: it takes the places in classes of the
    new one, which is closed. Gives the classes."""
    spare = find_account(session, code)
    found = []
    query = sql.select(GroupMemberRow).where(GroupMemberRow.user_id == spare.id)
    for place in list(session.scalars(query)):
        _take_place(session, identity.id, place)
        found.append(place.group_id)
        session.delete(place)
    _take_rows(session, PersonMarkRow, identity.id, spare.id)
    _take_rows(session, DeadlineExtensionRow, identity.id, spare.id)
    session.execute(sql.delete(PasswordResetRow).where(PasswordResetRow.user_id == spare.id))
    spare.active, spare.email = False, ""
    sessions.end_all_access(session, spare.id)
    audit.log_action(session, identity, "place in a class claimed", instead_of=spare.name)
    return found


def _take_rows(session: Session, table: type[OfStudent], user_id: int, spare_id: int) -> None:
    """A teacher may have given points or a later deadline already."""
    for row in list(session.scalars(sql.select(table).where(table.user_id == spare_id))):
        if session.get(table, (row.assignment_id, user_id)) is None:
            row.user_id = user_id


def _take_place(session: Session, user_id: int, place: GroupMemberRow) -> None:
    group = groups.get_group(session, place.group_id)
    groups.add_member(session, group, user_id)
    member = groups.get_member(session, place.group_id, user_id)
    if member.student_number and member.student_number != place.student_number:
        raise Conflict(
            f"your account is in {group.name} with another student number",
            f"你的账号已以另一个学号加入“{group.name}”",
        )
    member.student_number = place.student_number
    member.real_name = place.real_name
    member.section = place.section
