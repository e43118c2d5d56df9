"""Long lists, newest first, a page at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import sqlalchemy as sql
from sqlalchemy.orm import InstrumentedAttribute, Session

MAX_PAGE_ITEMS = 100
Row = TypeVar("Row")
Page = dict[str, Any]
"""``items``, and ``next``: where the following page begins, None at the end."""


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


def fetch_page(
    session: Session,
    query: sql.Select[Any],
    key: InstrumentedAttribute[int],
    before: int | None,
    limit: int,
    told: Callable[[Any], Any],
) -> Page:
    """A page of a query of rows by their falling ids."""
    if before is not None:
        query = query.where(key < before)
    rows = session.scalars(query.order_by(key.desc()).limit(min(limit, MAX_PAGE_ITEMS) + 1)).all()
    more = len(rows) > min(limit, MAX_PAGE_ITEMS)
    rows = rows[: min(limit, MAX_PAGE_ITEMS)]
    ids = [getattr(row, key.key) for row in rows]
    return {"items": [told(row) for row in rows], "next": ids[-1] if more else None}
