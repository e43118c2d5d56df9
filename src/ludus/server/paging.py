"""Long lists, newest first, a page at a time."""

from __future__ import annotations

from typing import TypeVar

import sqlalchemy as sql
from sqlalchemy.orm import InstrumentedAttribute, Session

MAX_PAGE_ITEMS = 100
Row = TypeVar("Row")


def fetch_rows(
    session: Session,
    query: sql.Select[Row],
    key: InstrumentedAttribute[int],
    before: int | None,
    limit: int,
) -> tuple[list[Row], int | None]:
    """A page of a query of rows by their falling ids, and where the following page begins."""
    if before is not None:
        query = query.where(key < before)
    limit = min(limit, MAX_PAGE_ITEMS)
    rows = list(session.scalars(query.order_by(key.desc()).limit(limit + 1)))
    more = len(rows) > limit
    return rows[:limit], getattr(rows[limit - 1], key.key) if more else None
