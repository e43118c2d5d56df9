"""Notices for people: a check has ended, a contest is over, an announcement."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.lang import Text
from ludus.scheduling.schema import NoticeRow
from ludus.server.accounts.account_schemas import NoticeInfo, NoticePage
from ludus.server.accounts.identity import Identity
from ludus.server.paging import fetch_rows
from ludus.timestamps import now


def add_notices(
    session: Session, users: Iterable[int], kind: str, text: Text, link: str = ""
) -> None:
    """Send the same notice to several people. A time in its text is written as databases keep it;
    pages and e-mails put it in the words of the reader."""
    at = now()
    rows = [
        {
            "user_id": user,
            "created_at": at,
            "kind": kind,
            "text": dict(text),
            "link": link,
            "read": False,
        }
        for user in sorted(set(users))
    ]
    if rows:
        session.execute(sql.insert(NoticeRow), rows)


def remove_notices(session: Session, links: Iterable[str]) -> None:
    """Take back all notices that lead to what is being deleted."""
    session.execute(sql.delete(NoticeRow).where(NoticeRow.link.in_(set(links))))


def count_unread(session: Session, identity: Identity) -> int:
    query = sql.select(sql.func.count()).where(
        NoticeRow.user_id == identity.id, NoticeRow.read.is_(False)
    )
    return session.scalar(query) or 0


def mark_all_read(session: Session, identity: Identity) -> None:
    session.execute(
        sql.update(NoticeRow)
        .where(NoticeRow.user_id == identity.id, NoticeRow.read.is_(False))
        .values(read=True)
    )


def list_notices(
    session: Session, identity: Identity, before: int | None, limit: int
) -> NoticePage:
    query = sql.select(NoticeRow).where(NoticeRow.user_id == identity.id)
    rows, following = fetch_rows(session, query, NoticeRow.id, before, limit)
    return NoticePage([describe_notice(row) for row in rows], following)


def list_since(session: Session, mark: int) -> list[NoticeRow]:
    """Everybody's notices after an id, to be sent over sockets."""
    query = sql.select(NoticeRow).where(NoticeRow.id > mark).order_by(NoticeRow.id)
    return list(session.scalars(query))


def find_newest_id(session: Session) -> int:
    return session.scalar(sql.select(sql.func.max(NoticeRow.id))) or 0


def describe_notice(row: NoticeRow) -> NoticeInfo:
    return NoticeInfo(
        id=row.id,
        at=row.created_at,
        kind=row.kind,
        text=Text.of(row.text),
        link=row.link,
        read=row.read,
    )
