"""The audit log of the staff's actions. Nothing here changes or deletes a line."""

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


def log_action(session: Session, identity: Identity, what: str, /, **detail: Any) -> None:
    """Write a line in the same transaction as the action."""
    session.add(
        AuditRow(
            created_at=now(),
            user_id=identity.id or None,
            user_name=identity.name or "",
            action=what,
            detail=detail,
        )
    )


def authorize(
    session: Session, identity: Identity, what: str, /, *, own: bool, power: bool, **detail: Any
) -> None:
    """Allow an action on one's own things, or one that a role allows on other people's.

    This is the one place where a role stands in for ownership, so every such use is logged.
    """
    if own:
        return
    if not power:
        raise permission_denied()
    log_action(session, identity, what, **detail)


def list_actions(session: Session, before: int | None, limit: int) -> AuditPage:
    rows, following = fetch_rows(session, sql.select(AuditRow), AuditRow.id, before, limit)
    return AuditPage(
        [AuditLine(row.id, row.created_at, row.user_name, row.action, row.detail) for row in rows],
        following,
    )
