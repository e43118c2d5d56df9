"""Accounts and passwords."""

from __future__ import annotations

import sqlalchemy as sql
from msgspec import UNSET
from sqlalchemy.orm import Session

from ludus.errors import LudusError
from ludus.scheduling.schema import PasswordResetRow, UserRow
from ludus.server.accounts import credentials, name_rules, sessions
from ludus.server.accounts.account_schemas import UserInfo
from ludus.server.accounts.identity import ORGANISER, STUDENT, Identity
from ludus.server.admin import audit
from ludus.server.vocabulary import Role
from ludus.server.web.errors import Conflict, Forbidden, NotFound, not_found
from ludus.timestamps import now, now_plus

RESET_CODE_LIFETIME_S = 7 * 86400
NO_PASSWORD = "!"
"""Instead of a hash: no password has been chosen yet."""


def describe_user(user: UserRow, *, private: bool = False) -> UserInfo:
    """``private``: with what only the person and the organiser may see."""
    return UserInfo(
        id=user.id,
        name=user.name,
        shown=user.display_name,
        role=user.role,
        joined=user.created_at,
        active=user.active,
        email=user.email if private else UNSET,
        language=user.language if private else UNSET,
        email_verified=user.email_verified if private else UNSET,
        mail_notices=user.mail_notices if private else UNSET,
    )


def get_shown_name(session: Session, user_id: int) -> str:
    """The name under which others know a person: the one they chose to show, else the account's."""
    user = session.get_one(UserRow, user_id)
    return user.display_name or user.name


def has_accounts(session: Session) -> bool:
    """Whether there is an account yet."""
    return session.scalars(sql.select(UserRow.id).limit(1)).first() is not None


def has_password(user: UserRow) -> bool:
    """Whether a person has chosen a password; before that they cannot log in."""
    return user.password_hash != NO_PASSWORD


def find_user(session: Session, name: str) -> UserRow | None:
    return session.scalars(
        sql.select(UserRow).where(UserRow.name_key == name_rules.fold_name(name.strip()))
    ).first()


def get_user_by_name(session: Session, name: str) -> UserRow:
    if (user := find_user(session, name)) is None:
        raise not_found("person", "用户")
    return user


def check_free_name(session: Session, name: str, role: Role = STUDENT) -> str:
    """The name as it is stored; raises if it is taken or not allowed."""
    name = name_rules.check_user_name(name)
    if role == STUDENT and name_rules.claims_staff_role(name):
        rest = name_rules.strip_staff_words(name)
        if not name_rules.skeleton(rest) or is_confusable_name(session, rest):
            raise _staff_name_taken(name)
    if find_user(session, name) is not None or is_confusable_name(session, name):
        raise Conflict(
            f"the name {name!r} is taken", f"用户名 {name!r} 已被使用", code="name_taken"
        )
    return name


def is_confusable_name(session: Session, text: str, but: int = 0) -> bool:
    """Whether a name can be mistaken for another person's, or for a staff member's."""
    return name_rules.skeleton(text) in list_skeletons(session, but)


def list_skeletons(session: Session, but: int = 0) -> set[str]:
    """What the names of all accounts and the display names of the staff look like; without those
    of the account ``but``."""
    names = session.scalars(sql.select(UserRow.name).where(UserRow.id != but))
    staff = session.scalars(
        sql.select(UserRow.display_name).where(
            UserRow.id != but, UserRow.role != STUDENT, UserRow.display_name != ""
        )
    )
    return {name_rules.skeleton(each) for each in (*names, *staff)}


def _staff_name_taken(name: str) -> Conflict:
    return Conflict(
        f"{name!r} would be taken for one of the staff", f"{name!r} 会被误认为管理员或教师"
    )


def check_display_name(session: Session, text: str, own: int = 0, role: Role = STUDENT) -> str:
    """A valid display name; raises if it can be mistaken for another person's."""
    shown = name_rules.clean_line(text)
    name_rules.refuse_mixed_scripts(shown)
    if role == STUDENT and name_rules.claims_staff_role(shown):
        raise _staff_name_taken(shown)
    if shown and is_confusable_name(session, shown, own):
        raise Conflict(
            f"{shown!r} is another person's name", f"{shown!r} 是别人的名字", code="name_taken"
        )
    return shown


def create_user(
    session: Session,
    name: str,
    password: str,
    *,
    shown: str = "",
    email: str = "",
    role: Role = STUDENT,
) -> UserRow:
    """Create an account; ``password`` is a hash."""
    name = check_free_name(session, name, role)
    shown = check_display_name(session, shown, role=role)
    return add_user(session, name, password, shown=shown, email=email, role=role)


def add_user(
    session: Session,
    name: str,
    password: str,
    *,
    shown: str = "",
    email: str = "",
    role: Role = STUDENT,
) -> UserRow:
    """Create an account whose names are known to be free."""
    user = UserRow(
        name=name,
        name_key=name_rules.fold_name(name),
        display_name=shown,
        email=check_email(email),
        role=role,
        password_hash=password,
        active=True,
        language="",
        created_at=now(),
    )
    session.add(user)
    session.flush()
    return user


def check_email(email: str) -> str:
    email = name_rules.clean_line(email, 200)
    if email and (email.count("@") != 1 or " " in email):
        raise LudusError(f"{email!r} is not an e-mail address", f"{email!r} 不是邮箱地址")
    return email


def change_email(user: UserRow, email: str) -> None:
    """Another address has to be confirmed before mail is sent there."""
    email = check_email(email)
    if email != user.email:
        user.email, user.email_verified, user.mail_notices = email, False, False


def authenticate(session: Session, name: str, password: str) -> int:
    """The id of the person with this name and password; the error does not say which was wrong."""
    user = find_user(session, name)
    right = credentials.verify_password(password, user.password_hash if user else None)
    if user is None or not right:
        raise Forbidden(
            "the name or the password is wrong", "用户名或密码错误", code="wrong_password"
        )
    if not user.active:
        raise Forbidden(
            "this account is banned; ask an admin",
            "该账号已被封禁；请联系管理员",
            code="account_closed",
        )
    return user.id


def change_password(
    session: Session, identity: Identity, old: str, new: str, secret: str = ""
) -> None:
    """Change the password, end all other sessions and all tokens."""
    user = session.get_one(UserRow, identity.id)
    if not credentials.verify_password(old, user.password_hash):
        raise Forbidden("the old password is wrong", "原密码错误", code="wrong_password")
    credentials.check_password(new, user.name)
    user.password_hash = credentials.hash_password(new)
    sessions.end_all_access(session, user.id, but=secret)
    audit.log_action(session, identity, "password changed")


def create_reset_code(session: Session, identity: Identity, user: UserRow) -> str:
    """Create a one-time code for a new password. For an account without one it is the code of
    another login link; the link that its owner has, perhaps on paper, stays valid, too."""
    code = credentials.new_code()
    if has_password(user):
        session.execute(sql.delete(PasswordResetRow).where(PasswordResetRow.user_id == user.id))
    session.add(
        PasswordResetRow(
            digest=credentials.digest(code),
            user_id=user.id,
            expires_at=now_plus(RESET_CODE_LIFETIME_S),
        )
    )
    audit.log_action(session, identity, "reset code made", user=user.name)
    return code


def find_reset(session: Session, code: str) -> PasswordResetRow:
    """The reset that a code stands for; NotFound if it is not valid."""
    row = session.get(PasswordResetRow, credentials.digest(code.strip().lower()))
    if row is None or row.expires_at < now():
        raise NotFound("this code is not valid or has expired", "该重置码无效或已过期")
    return row


def reset_password(session: Session, code: str, new: str) -> UserRow:
    """Choose a new password with a code; it and all others of the account are then used up."""
    row = find_reset(session, code)
    user = session.get_one(UserRow, row.user_id)
    credentials.check_password(new, user.name)
    user.password_hash = credentials.hash_password(new)
    session.execute(sql.delete(PasswordResetRow).where(PasswordResetRow.user_id == user.id))
    sessions.end_all_access(session, user.id)
    audit.log_action(session, Identity(user.id, user.name), "password reset")
    return user


def change_account(
    session: Session, identity: Identity, user: UserRow, role: Role | None, active: bool | None
) -> None:
    """Change an account as the organiser. At least one organiser always remains."""
    loses = (role is not None and role != ORGANISER) or active is False
    if user.role == ORGANISER and loses and _count_organisers(session) < 2:
        raise Conflict("at least one admin must remain", "必须保留至少一名管理员")
    if role is not None and role != user.role:
        audit.log_action(session, identity, "role changed", user=user.name, was=user.role, now=role)
        user.role = role
    if active is not None and active != user.active:
        audit.log_action(
            session, identity, "account opened" if active else "account closed", user=user.name
        )
        user.active = active
        if not active:
            sessions.end_all_access(session, user.id)


def _count_organisers(session: Session) -> int:
    query = sql.select(sql.func.count()).where(UserRow.role == ORGANISER, UserRow.active.is_(True))
    return session.scalar(query) or 0
