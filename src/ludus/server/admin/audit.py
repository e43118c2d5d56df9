"""What the staff did, line by line; nobody can change it here."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.scheduling.schema import AuditRow
from ludus.server.accounts.identity import Identity
from ludus.server.admin.admin_schemas import AuditLine, AuditPage
from ludus.server.paging import fetch_rows
from ludus.server.web.errors import permission_denied
from ludus.timestamps import now


def log_action(session: Session, viewer: Identity, what: str, /, **detail: Any) -> None:
    """A line, in the same transaction as what it tells of."""
    session.add(
        AuditRow(
            created_at=now(),
            user_id=viewer.id or None,
            user_name=viewer.name or "",
            action=what,
            detail=detail,
        )
    )


def authorize(
    session: Session, viewer: Identity, what: str, /, *, own: bool, power: bool, **detail: Any
) -> None:
    """Let somebody do what is theirs to do, or what their role lets them do to others.

    The one place where a role stands in for ownership: whoever uses it leaves a line.
    """
    if own:
        return
    if not power:
        raise permission_denied()
    log_action(session, viewer, what, **detail)


def list_actions(session: Session, before: int | None, limit: int) -> AuditPage:
    rows, following = fetch_rows(session, sql.select(AuditRow), AuditRow.id, before, limit)
    return AuditPage(
        [AuditLine(row.id, row.created_at, row.user_name, row.action, row.detail) for row in rows],
        following,
    )
