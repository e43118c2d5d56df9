"""Webhooks of GitHub, GitLab and Gitea: who sent them, and which push they announce."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.scheduling.schema import GitPushRow, GitRemoteRow
from ludus.server.git import repositories
from ludus.server.git.push_commands import ID_PATTERN, TAG_PREFIX, ZERO_ID, is_ref_name
from ludus.server.web.errors import Conflict, Forbidden, RequestError

MAX_WAITING_PUSHES = 10
"""The most announced pushes of one bot that wait to be fetched."""
EVENT_HEADERS = ("x-github-event", "x-gitlab-event", "x-gitea-event")
PUSH_EVENTS = {"push", "push hook", "tag push hook"}


@dataclass(frozen=True, slots=True)
class AnnouncedPush:
    """A ref and the object that it points to now."""

    ref: str
    id: str


def verify_sender(headers: Mapping[str, str], body: bytes, secret: str) -> None:
    """Raise Forbidden unless a webhook was sent by who knows the secret."""
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    expected = {
        "x-hub-signature-256": f"sha256={digest}",
        "x-gitea-signature": digest,
        "x-gitlab-token": secret,
    }
    given = next((name for name in expected if name in headers), "")
    if not given or not hmac.compare_digest(headers[given].encode(), expected[given].encode()):
        raise wrong_secret()


def wrong_secret() -> Forbidden:
    """The same for bots without a remote, so that the answer reveals nothing."""
    return Forbidden(
        "the webhook's secret is wrong; copy it from the page of the bot, or tie it anew",
        "webhook 的密钥有误；请从 AI 的页面复制，或重新关联",
        code="wrong_secret",
    )


def parse_push(headers: Mapping[str, str], body: bytes, branch: str) -> AnnouncedPush | None:
    """The push that a webhook announces; None for other events, other branches and deletions."""
    event = next((headers[name] for name in EVENT_HEADERS if name in headers), "").lower()
    if event not in PUSH_EVENTS:
        return None
    try:
        data: Any = msgspec.json.decode(body)
        ref, id = data["ref"], data["after"]
    except (msgspec.DecodeError, LookupError, TypeError):
        raise RequestError(
            "this is not a webhook of GitHub, GitLab or Gitea; send it as application/json",
            "这不是 GitHub、GitLab 或 Gitea 的 webhook；请以 application/json 发送",
        ) from None
    if not isinstance(ref, str) or not isinstance(id, str) or not is_ref_name(ref):
        raise RequestError("this push cannot be understood", "无法理解该推送")
    if not ref.startswith(TAG_PREFIX) and ref != f"refs/heads/{branch}":
        return None
    if id == ZERO_ID or not ID_PATTERN.fullmatch(id):
        return None
    return AnnouncedPush(ref, id)


def queue_push(session: Session, remote: GitRemoteRow, push: AnnouncedPush) -> bool:
    """Have a push fetched; False if it was announced before, as hosts repeat themselves."""
    waiting = sql.select(GitPushRow).where(GitPushRow.bot_id == remote.bot_id)
    waiting = waiting.where(GitPushRow.origin == "webhook")
    same = waiting.where(GitPushRow.ref == push.ref, GitPushRow.announced_id == push.id)
    if push.id and session.scalars(same.where(GitPushRow.state != "refused")).first() is not None:
        return False
    count = len(session.scalars(waiting.where(GitPushRow.state == "waiting")).all())
    if count >= MAX_WAITING_PUSHES:
        raise Conflict(
            f"{count} pushes wait to be fetched already",
            f"已有 {count} 次推送等待下载",
            code="limit_reached",
        )
    row = repositories.log_push(session, remote.bot_id, "webhook", push.ref, push.id, "waiting")
    row.announced_id = push.id
    return True
