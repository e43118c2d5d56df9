"""Repositories of bots, remotes that they are tied to, and pushes."""

from __future__ import annotations

from typing import Literal

from sqlalchemy import JSON, ForeignKey, Index, Integer, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from ludus.scheduling.schema.base import BIG_ID, TIME, Base

HostKind = Literal["github", "gitlab", "gitea"]
PushOrigin = Literal["push", "webhook"]
PushState = Literal["waiting", "taken", "refused"]
StatusState = Literal["", "due", "pending", "sent", "failed"]


class GitRepositoryRow(Base):
    """The repository of a bot: its refs, and all their objects as one pack."""

    __tablename__ = "git_repositories"

    bot_id: Mapped[int] = mapped_column(ForeignKey("bots.id"), primary_key=True)
    refs: Mapped[dict[str, str]] = mapped_column(JSON)
    """Ids of objects by the names of refs."""
    pack: Mapped[bytes] = mapped_column(LargeBinary)
    updated_at: Mapped[str] = mapped_column(TIME)


class GitRemoteRow(Base):
    """A repository elsewhere whose pushes become versions of a bot."""

    __tablename__ = "git_remotes"

    bot_id: Mapped[int] = mapped_column(ForeignKey("bots.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    """Who tied it: versions count for this person."""
    url: Mapped[str] = mapped_column(String(500))
    host_kind: Mapped[HostKind] = mapped_column(String(10))
    branch: Mapped[str] = mapped_column(String(100))
    webhook_secret: Mapped[str] = mapped_column(String(80))
    access_token: Mapped[str] = mapped_column(String(300), default="")
    """The host's token for fetching and for commit statuses; empty: none."""
    deploy_key: Mapped[str] = mapped_column(Text, default="")
    """The private key for SSH; empty for HTTPS."""
    public_key: Mapped[str] = mapped_column(String(200), default="")
    known_hosts: Mapped[str] = mapped_column(Text, default="")
    """The host keys that were seen at the first connection."""
    site_url: Mapped[str] = mapped_column(String(300), default="")
    """This server's address as its owner knows it, for links in commit statuses."""
    created_at: Mapped[str] = mapped_column(TIME)


class GitPushRow(Base):
    """A ref that was pushed, and what became of it."""

    __tablename__ = "git_pushes"
    __table_args__ = (Index(None, "bot_id", "id"), Index(None, "state"), Index(None, "status"))

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    bot_id: Mapped[int] = mapped_column(ForeignKey("bots.id"))
    created_at: Mapped[str] = mapped_column(TIME)
    origin: Mapped[PushOrigin] = mapped_column(String(10))
    ref: Mapped[str] = mapped_column(String(200))
    announced_id: Mapped[str] = mapped_column(String(64), default="")
    """The object that a webhook named; a tag of a commit, or the commit itself."""
    commit_id: Mapped[str] = mapped_column(String(64))
    subject: Mapped[str] = mapped_column(String(300), default="")
    state: Mapped[PushState] = mapped_column(String(10))
    version_id: Mapped[int | None] = mapped_column(Integer)
    reason: Mapped[dict[str, str] | None] = mapped_column(JSON)
    """Why it was refused, in both languages."""
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    """How often the fetch of a webhook's commit was started."""
    status: Mapped[StatusState] = mapped_column(String(10), default="")
    """The commit status at the remote: to be sent, sent as pending, sent with the result."""
