"""The audit log of the staff's actions. Nothing here changes or deletes a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.escape import truncate
from ludus.scheduling.schema import AuditRow
from ludus.server.accounts.identity import Identity
from ludus.server.admin.admin_schemas import AuditLine, AuditPage
from ludus.server.paging import fetch_rows
from ludus.server.web.errors import permission_denied
from ludus.timestamps import now

MAX_VALUE_CHARS = 200
"""Characters of a long text whose old and new value are kept."""


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


def list_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The old and the new value of all that has changed; of what stands in a table inside, by its
    path: ``match.bouts``."""
    old, new = dict(_iterate_values(before)), dict(_iterate_values(after))
    return {
        path: [_shorten(old.get(path)), _shorten(new.get(path))]
        for path in {**old, **new}
        if old.get(path) != new.get(path)
    }


def _iterate_values(table: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        inner = f"{path}.{key}" if path else key
        if isinstance(value, Mapping):
            yield from _iterate_values(value, inner)
        else:
            yield inner, value


def _shorten(value: Any) -> Any:
    return truncate(value, MAX_VALUE_CHARS) if isinstance(value, str) else value


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
