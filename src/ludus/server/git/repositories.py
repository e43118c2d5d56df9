"""The repositories of bots in the database, and the list of pushes."""

from __future__ import annotations

import re

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.lang import Text
from ludus.scheduling.schema import BotRow, GitPushRow, GitRepositoryRow
from ludus.scheduling.schema.git import PushOrigin, PushState, StatusState
from ludus.server.git.jailed_git import EMPTY_REPOSITORY, Repository
from ludus.server.web.errors import Conflict
from ludus.timestamps import now

KEPT_PUSHES = 50
"""How many pushes of a bot are remembered."""


def make_address(bot: BotRow) -> str:
    """The path of a bot's repository. Its number decides; the name only makes it readable, and a
    clone gets a good folder."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", bot.name).strip("-.") or "bot"
    return f"/git/{bot.id}/{name}.git"


def load_repository(session: Session, bot_id: int) -> Repository:
    row = session.get(GitRepositoryRow, bot_id)
    return EMPTY_REPOSITORY if row is None else Repository(row.refs, row.pack)


def store_repository(
    session: Session, bot_id: int, before: Repository, repository: Repository
) -> None:
    """Replace a repository; raises Conflict if it is not as it was any more."""
    row = session.get(GitRepositoryRow, bot_id, with_for_update=True)
    if (row.refs if row is not None else {}) != before.refs:
        raise Conflict(
            "someone else pushed at the same time; fetch and push again",
            "同时有另一次推送；请先 fetch 再推送",
        )
    if row is None:
        row = GitRepositoryRow(bot_id=bot_id)
        session.add(row)
    row.refs, row.pack, row.updated_at = dict(repository.refs), repository.pack, now()
    session.flush()


def log_push(
    session: Session,
    bot_id: int,
    origin: PushOrigin,
    ref: str,
    commit: str,
    state: PushState,
    *,
    subject: str = "",
    version_id: int | None = None,
    reason: Text | None = None,
    status: StatusState = "",
) -> GitPushRow:
    """Remember a push; the oldest are forgotten."""
    row = GitPushRow(
        bot_id=bot_id,
        created_at=now(),
        origin=origin,
        ref=ref[:200],
        announced_id="",
        commit_id=commit,
        subject=subject[:300],
        state=state,
        version_id=version_id,
        reason=None if reason is None else dict(reason),
        attempts=0,
        status=status,
    )
    session.add(row)
    session.flush()
    _forget_old_pushes(session, bot_id)
    return row


def _forget_old_pushes(session: Session, bot_id: int) -> None:
    kept = (
        sql.select(GitPushRow.id)
        .where(GitPushRow.bot_id == bot_id)
        .order_by(GitPushRow.id.desc())
        .limit(KEPT_PUSHES)
    )
    oldest = min(session.scalars(kept), default=0)
    session.execute(
        sql.delete(GitPushRow).where(GitPushRow.bot_id == bot_id, GitPushRow.id < oldest)
    )


def list_pushes(session: Session, bot_id: int, limit: int) -> list[GitPushRow]:
    """The last pushes, newest first."""
    query = sql.select(GitPushRow).where(GitPushRow.bot_id == bot_id)
    return list(session.scalars(query.order_by(GitPushRow.id.desc()).limit(limit)))
