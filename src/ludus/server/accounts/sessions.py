"""Sessions of people who have logged in: how they start and end, and who is behind one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.scheduling.schema import GroupMemberRow, SessionRow, TeamMemberRow, TokenRow, UserRow
from ludus.server.accounts import credentials
from ludus.server.accounts.identity import ADMIN, ANONYMOUS, STAFF, Identity
from ludus.server.vocabulary import GroupRole, Role
from ludus.timestamps import now, now_plus

SESSION_LIFETIME_S = 30 * 86400
"""Seconds for which a session is valid."""


def start_session(session: Session, user_id: int) -> str:
    """Start a session; gives the secret for its cookie."""
    secret = credentials.new_secret()
    session.add(
        SessionRow(
            digest=credentials.digest(secret),
            user_id=user_id,
            created_at=now(),
            expires_at=now_plus(SESSION_LIFETIME_S),
        )
    )
    session.execute(sql.delete(SessionRow).where(SessionRow.expires_at < now()))
    return secret


def end_session(session: Session, secret: str) -> None:
    session.execute(sql.delete(SessionRow).where(SessionRow.digest == credentials.digest(secret)))


def end_all_access(session: Session, user_id: int, but: str = "") -> None:
    """End all sessions of a person but the one with the secret ``but``, and all tokens."""
    kept = credentials.digest(but) if but else ""
    session.execute(sql.delete(TokenRow).where(TokenRow.user_id == user_id))
    session.execute(
        sql.delete(SessionRow).where(SessionRow.user_id == user_id, SessionRow.digest != kept)
    )


def identify_by_session(session: Session, secret: str) -> Identity:
    """The identity behind a session's cookie; anonymous if it is not valid."""
    query = (
        sql.select(UserRow)
        .join(SessionRow, SessionRow.user_id == UserRow.id)
        .where(SessionRow.digest == credentials.digest(secret), SessionRow.expires_at > now())
    )
    user = session.scalars(query).first()
    return make_identity(session, user, "session", credentials.derive_csrf_token(secret))


def make_identity(
    session: Session,
    user: UserRow | None,
    by: Any,
    csrf: str = "",
    *,
    role: Role | None = None,
    scopes: frozenset[str] = frozenset(),
) -> Identity:
    """``role``: replaces the user's role, for a token that may not use it."""
    if user is None or not user.active:
        return ANONYMOUS
    teams = session.scalars(
        sql.select(TeamMemberRow.team_id).where(TeamMemberRow.user_id == user.id)
    )
    query = sql.select(GroupMemberRow.group_id, GroupMemberRow.role)
    rows = session.execute(query.where(GroupMemberRow.user_id == user.id))
    role_by_group: dict[int, GroupRole] = {id: part for id, part in rows}
    site_role = user.role if role is None else role
    may_use_roles = by != "token" or ADMIN in scopes
    teaching = _list_groups(role_by_group, "teacher") if site_role in STAFF else frozenset()
    assisting = _list_groups(role_by_group, "assistant") if may_use_roles else frozenset()
    return Identity(
        id=user.id,
        name=user.name,
        role=site_role,
        auth_method=by,
        csrf=csrf,
        teams=frozenset(teams.all()),
        groups=frozenset(role_by_group),
        teaching=teaching,
        assisting=teaching | assisting,
        scopes=scopes,
    )


def _list_groups(role_by_group: Mapping[int, GroupRole], role: GroupRole) -> frozenset[int]:
    return frozenset(id for id, here in role_by_group.items() if here == role)
