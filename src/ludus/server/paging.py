"""Paging of long lists, newest rows first."""

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
    """One page of a query, by falling ids, and the ``before`` of the next page (None: this is the
    last)."""
    if before is not None:
        query = query.where(key < before)
    limit = min(limit, MAX_PAGE_ITEMS)
    rows = list(session.scalars(query.order_by(key.desc()).limit(limit + 1)))
    more = len(rows) > limit
    return rows[:limit], getattr(rows[limit - 1], key.key) if more else None
