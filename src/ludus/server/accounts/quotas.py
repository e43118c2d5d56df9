"""Daily quotas and storage limits."""

from __future__ import annotations

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.scheduling.schema import (
    BotRow,
    GitRepositoryRow,
    QuotaUseRow,
    TeamMemberRow,
    UserRow,
    VersionFilesRow,
    VersionRow,
)
from ludus.server.accounts.identity import ORGANISER, TEACHER, Identity
from ludus.server.web.errors import PayloadTooLarge, TooManyRequests
from ludus.timestamps import today, until_tomorrow


def spend(session: Session, identity: Identity, what: str, count: int, most: int) -> None:
    """Take ``count`` from today's quota; raises TooManyRequests if too little is left. The staff
    has no quota."""
    if identity.staff:
        return
    row = session.get(QuotaUseRow, (identity.id, today(), what), with_for_update=True)
    if row is None:
        row = QuotaUseRow(user_id=identity.id, day=today(), kind=what, count=0)
        session.add(row)
    if row.count + count > most:
        left = max(0, most - row.count)
        raise TooManyRequests(
            f"that is more than is left of today's {most} ({what}): {left}",
            f"超出今日限额 {most}（{what}），剩余 {left}",
            wait=until_tomorrow(),
        )
    row.count += count


def refuse_over_storage(session: Session, bot: BotRow, size: int, most: int) -> None:
    """Raise PayloadTooLarge if ``size`` more bytes exceed a person's limit of ``most`` megabytes.

    What a team has counts for its captain, so that founding teams gives nobody more space. The
    staff has no limit.
    """
    owners = [bot.user_id] if bot.team_id is None else list_captains(session, bot.team_id)
    for owner in owners:
        role = session.scalar(sql.select(UserRow.role).where(UserRow.id == owner))
        if role in (ORGANISER, TEACHER):
            continue
        used = count_stored_bytes(session, owner)
        if used + size > most << 20:
            left = max(0.0, most - used / 2**20)
            raise PayloadTooLarge(
                f"this needs {size / 2**20:.1f} MB; of the {most} MB that one person may use,"
                f" {left:.1f} MB are left",
                f"需要 {size / 2**20:.1f} MB，而每人最多 {most} MB，还剩 {left:.1f} MB",
            )


def list_captains(session: Session, team_id: int) -> list[int | None]:
    query = sql.select(TeamMemberRow.user_id).where(
        TeamMemberRow.team_id == team_id, TeamMemberRow.captain.is_(True)
    )
    return list(session.scalars(query))


def count_stored_bytes(session: Session, user_id: int | None) -> int:
    """Bytes of a person's versions and of the teams they lead: packed in the database, unpacked on
    disk, and compiled; and of their repositories."""
    led = sql.select(TeamMemberRow.team_id).where(
        TeamMemberRow.user_id == user_id, TeamMemberRow.captain.is_(True)
    )
    size = sql.func.sum(
        VersionRow.size_bytes + VersionRow.build_bytes + sql.func.length(VersionFilesRow.data)
    )
    query = (
        sql.select(size)
        .join(BotRow, BotRow.id == VersionRow.bot_id)
        .join(VersionFilesRow, VersionFilesRow.version_id == VersionRow.id)
        .where(sql.or_(BotRow.user_id == user_id, BotRow.team_id.in_(led)))
    )
    packs = (
        sql.select(sql.func.sum(sql.func.length(GitRepositoryRow.pack)))
        .join(BotRow, BotRow.id == GitRepositoryRow.bot_id)
        .where(sql.or_(BotRow.user_id == user_id, BotRow.team_id.in_(led)))
    )
    return int(session.scalar(query) or 0) + int(session.scalar(packs) or 0)
