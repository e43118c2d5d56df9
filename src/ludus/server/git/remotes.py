"""Remotes that bots are tied to: made, described, and opened for fetching."""

from __future__ import annotations

import re

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.errors import LudusError
from ludus.lang import Text
from ludus.scheduling.schema import BotRow, GitPushRow, GitRemoteRow, UserRow, VersionRow
from ludus.scheduling.schema.git import HostKind
from ludus.server.accounts import credentials
from ludus.server.accounts.identity import Identity
from ludus.server.admin import audit
from ludus.server.git import jailed_git, repositories
from ludus.server.git.git_schemas import GitInfo, GitPushInfo, GitRemoteInfo
from ludus.server.git.remote_address import parse_address
from ludus.server.git.remote_fetch import RemoteAccess, make_deploy_key
from ludus.server.web.errors import not_found
from ludus.timestamps import now

SHOWN_PUSHES = 20
BRANCH_PATTERN = re.compile(r"(?!.*(\.\.|//|@\{|\.lock$))[A-Za-z0-9][A-Za-z0-9._/-]{0,90}")


def describe_git(session: Session, bot: BotRow) -> GitInfo:
    """The repository, the remote and the last pushes of a bot."""
    return GitInfo(
        available=jailed_git.is_git_installed(),
        address=repositories.make_address(bot),
        ladder=bot.ladder_pushes,
        remote=_describe_remote(session, session.get(GitRemoteRow, bot.id)),
        pushes=_describe_pushes(session, bot.id),
    )


def _describe_remote(session: Session, row: GitRemoteRow | None) -> GitRemoteInfo | None:
    if row is None:
        return None
    return GitRemoteInfo(
        url=row.url,
        kind=row.host_kind,
        branch=row.branch,
        webhook=make_webhook_path(row.bot_id),
        public_key=row.public_key,
        has_token=bool(row.access_token),
        tied_by=session.get_one(UserRow, row.user_id).name,
    )


def make_webhook_path(bot_id: int) -> str:
    return f"/api/webhooks/{bot_id}"


def _describe_pushes(session: Session, bot_id: int) -> list[GitPushInfo]:
    rows = repositories.list_pushes(session, bot_id, SHOWN_PUSHES)
    ids = [row.version_id for row in rows if row.version_id is not None]
    query = sql.select(VersionRow).where(VersionRow.id.in_(ids))
    versions = {version.id: version for version in session.scalars(query)}
    return [_describe_push(row, versions.get(row.version_id or 0)) for row in rows]


def _describe_push(row: GitPushRow, version: VersionRow | None) -> GitPushInfo:
    return GitPushInfo(
        id=row.id,
        at=row.created_at,
        origin=row.origin,
        ref=row.ref,
        commit=row.commit_id,
        subject=row.subject,
        state=row.state,
        version=version.number if version is not None else None,
        check=version.state if version is not None else None,
        reason=Text.of(row.reason) if row.reason else None,
    )


def tie_remote(
    session: Session,
    identity: Identity,
    bot: BotRow,
    *,
    url: str,
    kind: HostKind,
    branch: str,
    token: str,
    allowed: list[str],
    site_url: str,
) -> str:
    """Tie a bot to a remote; gives the secret of its webhook, which is shown once. A remote that it
    was tied to before is replaced, with its secrets."""
    address = parse_address(url, allowed)
    if not BRANCH_PATTERN.fullmatch(branch):
        raise LudusError(f"{branch!r} is not a branch", f"{branch!r} 不是分支名")
    private = public = ""
    if address.scheme == "ssh":
        private, public = make_deploy_key(f"ludus-bot-{bot.id}")
    untie_remote(session, identity, bot, quietly=True)
    secret = credentials.new_secret()
    session.add(
        GitRemoteRow(
            bot_id=bot.id,
            user_id=identity.id,
            url=url.strip(),
            host_kind=kind,
            branch=branch,
            webhook_secret=secret,
            access_token=token.strip(),
            deploy_key=private,
            public_key=public,
            known_hosts="",
            site_url=site_url[:300],
            created_at=now(),
        )
    )
    audit.log_action(session, identity, "remote tied", bot=bot.name, game=bot.game, url=url[:200])
    session.flush()
    return secret


def untie_remote(session: Session, identity: Identity, bot: BotRow, quietly: bool = False) -> None:
    row = session.get(GitRemoteRow, bot.id)
    if row is None:
        if quietly:
            return
        raise not_found("remote", "远程仓库")
    session.delete(row)
    session.execute(
        sql.delete(GitPushRow).where(GitPushRow.bot_id == bot.id, GitPushRow.state == "waiting")
    )
    session.flush()
    if not quietly:
        audit.log_action(session, identity, "remote untied", bot=bot.name, game=bot.game)


def open_access(row: GitRemoteRow, allowed: list[str]) -> RemoteAccess:
    """What is needed to fetch from a remote. Its address is checked again, because settings may
    have changed since."""
    return RemoteAccess(
        parse_address(row.url, allowed),
        tuple(allowed),
        row.access_token,
        row.deploy_key,
        row.known_hosts,
    )
