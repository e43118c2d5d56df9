"""Tokens: programs that act for a person, each as far as the person said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.server.accounts import credentials, name_rules, users
from ludus.server.accounts.identity import ADMIN, SCOPES, STUDENT, Viewer
from ludus.server.admin import audit
from ludus.server.tables import TokenRow, UserRow
from ludus.server.timestamps import after, now
from ludus.server.web.errors import NotAllowed, Taken, no_such

Scope = Literal["read", "upload", "play", "admin"]
USUAL: tuple[Scope, ...] = ("read", "upload", "play")
"""What a token may do where nothing is said: all that ``ludus remote`` needs."""
MOST = 20
DAY = 86400
USED_EVERY = 60
"""Seconds between two notes of when a token was used."""


def by_token(session: Session, secret: str) -> Viewer:
    """Who has this token, if anybody. Without the scope ``admin`` they have no role to use."""
    row = session.scalars(_found(secret)).first()
    if row is None:
        return users.seen_as(session, None, "token")
    user = session.get_one(UserRow, row.user_id)
    scopes = frozenset(row.scopes.split())
    role = user.role if ADMIN in scopes else STUDENT
    return users.seen_as(session, user, "token", role=role, scopes=scopes)


def _found(secret: str) -> sql.Select[TokenRow]:
    alive = sql.or_(TokenRow.until.is_(None), TokenRow.until > now())
    return sql.select(TokenRow).where(TokenRow.digest == credentials.digest(secret), alive)


def is_due(session: Session, secret: str) -> bool:
    """Whether it is time to note that a token is used."""
    row = session.scalars(_found(secret)).first()
    return row is not None and (row.used is None or row.used < after(-USED_EVERY))


def note_use(session: Session, secret: str) -> None:
    session.execute(
        sql.update(TokenRow).where(TokenRow.digest == credentials.digest(secret)).values(used=now())
    )


def as_json(row: TokenRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "label": row.label,
        "made": row.made,
        "scopes": row.scopes.split(),
        "until": row.until,
        "used": row.used,
    }


def of(session: Session, viewer: Viewer) -> list[dict[str, Any]]:
    query = sql.select(TokenRow).where(TokenRow.user_id == viewer.id).order_by(TokenRow.id)
    return [as_json(row) for row in session.scalars(query)]


def add(
    session: Session, viewer: Viewer, label: str, scopes: Sequence[Scope], days: int | None
) -> dict[str, Any]:
    """A token for a program; its text is told once."""
    session.execute(
        sql.delete(TokenRow).where(TokenRow.user_id == viewer.id, TokenRow.until < now())
    )
    if len(of(session, viewer)) >= MOST:
        raise Taken(f"at most {MOST} tokens", f"最多 {MOST} 个令牌")
    if ADMIN in scopes and not viewer.staff:
        raise NotAllowed("only the staff has something to administer", "只有教师和管理员可用该权限")
    secret = f"ludus-{credentials.new_secret()}"
    row = TokenRow(
        user_id=viewer.id,
        label=name_rules.line(label),
        digest=credentials.digest(secret),
        made=now(),
        scopes=" ".join(scope for scope in SCOPES if scope in scopes),
        until=None if days is None else after(days * DAY),
    )
    session.add(row)
    session.flush()
    audit.note(session, viewer, "token made", label=row.label, scopes=row.scopes)
    return {**as_json(row), "token": secret}


def drop(session: Session, viewer: Viewer, id: int) -> None:
    row = session.get(TokenRow, id)
    if row is None or row.user_id != viewer.id:
        raise no_such("token", "令牌")
    session.delete(row)
    audit.note(session, viewer, "token withdrawn", label=row.label)
