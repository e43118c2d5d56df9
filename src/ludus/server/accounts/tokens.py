"""Tokens, with which programs act for a person, within the token's scopes."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.scheduling.schema import TokenRow, UserRow
from ludus.server.accounts import credentials, name_rules, sessions
from ludus.server.accounts.account_schemas import TokenInfo
from ludus.server.accounts.identity import ADMIN, SCOPES, STUDENT, Identity
from ludus.server.admin import audit
from ludus.server.vocabulary import Scope
from ludus.server.web.errors import Conflict, Forbidden, not_found
from ludus.timestamps import now, now_plus

DEFAULT_SCOPES: tuple[Scope, ...] = ("read", "upload", "play")
"""The default scopes: all that ``ludus remote`` needs."""
MAX_TOKENS_PER_USER = 20
SECONDS_PER_DAY = 86400
USE_NOTE_INTERVAL_S = 60
"""Seconds between two updates of a token's last use."""


def identify_by_token(session: Session, secret: str) -> Identity:
    """The owner of a token; anonymous if it is not valid. Without the scope ``admin`` the owner's
    role does not apply."""
    row = session.scalars(_select_token(secret)).first()
    if row is None:
        return sessions.make_identity(session, None, "token")
    user = session.get_one(UserRow, row.user_id)
    scopes = frozenset(row.scopes.split())
    role = user.role if ADMIN in scopes else STUDENT
    return sessions.make_identity(session, user, "token", role=role, scopes=scopes)


def _select_token(secret: str) -> sql.Select[TokenRow]:
    alive = sql.or_(TokenRow.expires_at.is_(None), TokenRow.expires_at > now())
    return sql.select(TokenRow).where(TokenRow.digest == credentials.digest(secret), alive)


def needs_use_note(session: Session, secret: str) -> bool:
    """Whether the token's last use should be updated."""
    row = session.scalars(_select_token(secret)).first()
    return row is not None and (
        row.last_used_at is None or row.last_used_at < now_plus(-USE_NOTE_INTERVAL_S)
    )


def note_use(session: Session, secret: str) -> None:
    session.execute(
        sql.update(TokenRow)
        .where(TokenRow.digest == credentials.digest(secret))
        .values(last_used_at=now())
    )


def describe_token(row: TokenRow) -> TokenInfo:
    """A token without its text, which is not stored."""
    return TokenInfo(
        id=row.id,
        label=row.label,
        made=row.created_at,
        scopes=[scope for scope in SCOPES if scope in row.scopes.split()],
        until=row.expires_at,
        used=row.last_used_at,
    )


def list_tokens(session: Session, identity: Identity) -> list[TokenInfo]:
    query = sql.select(TokenRow).where(TokenRow.user_id == identity.id).order_by(TokenRow.id)
    return [describe_token(row) for row in session.scalars(query)]


def create_token(
    session: Session, identity: Identity, label: str, scopes: Sequence[Scope], days: int | None
) -> TokenInfo:
    """Create a token for a program; its text is given once."""
    session.execute(
        sql.delete(TokenRow).where(TokenRow.user_id == identity.id, TokenRow.expires_at < now())
    )
    if len(list_tokens(session, identity)) >= MAX_TOKENS_PER_USER:
        raise Conflict(
            f"at most {MAX_TOKENS_PER_USER} tokens",
            f"最多 {MAX_TOKENS_PER_USER} 个令牌",
            code="limit_reached",
        )
    if ADMIN in scopes and not identity.staff:
        raise Forbidden("only the staff can use the scope admin", "只有教师和管理员可用该权限")
    secret = f"ludus-{credentials.new_secret()}"
    row = TokenRow(
        user_id=identity.id,
        label=name_rules.clean_line(label),
        digest=credentials.digest(secret),
        created_at=now(),
        scopes=" ".join(scope for scope in SCOPES if scope in scopes),
        expires_at=None if days is None else now_plus(days * SECONDS_PER_DAY),
    )
    session.add(row)
    session.flush()
    audit.log_action(session, identity, "token made", label=row.label, scopes=row.scopes)
    return msgspec.structs.replace(describe_token(row), token=secret)


def revoke_token(session: Session, identity: Identity, id: int) -> None:
    row = session.get(TokenRow, id)
    if row is None or row.user_id != identity.id:
        raise not_found("token", "令牌")
    session.delete(row)
    audit.log_action(session, identity, "token withdrawn", label=row.label)
