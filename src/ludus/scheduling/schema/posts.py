"""What people write to each other, and e-mail to them."""

from __future__ import annotations

from typing import Literal

from sqlalchemy import Boolean, ForeignKey, Index, Integer, String, Text, false
from sqlalchemy.orm import Mapped, mapped_column

from ludus.scheduling.schema.base import BIG_ID, TIME, Base

MailKind = Literal["verify", "notices"]
MailState = Literal["queued", "sending", "sent", "failed", "unknown"]
"""``unknown``: the connection or the process ended before the mail server had answered. Such a
mail is not sent again."""


class PostRow(Base):
    """A comment on a bout, or an announcement in a contest or a class."""

    __tablename__ = "posts"
    __table_args__ = (
        Index(None, "bout_id", "id"),
        Index(None, "contest_id", "id"),
        Index(None, "group_id", "id"),
    )

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    author_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    created_at: Mapped[str] = mapped_column(TIME)
    bout_id: Mapped[int | None] = mapped_column(BIG_ID, ForeignKey("bouts.id"))
    contest_id: Mapped[int | None] = mapped_column(ForeignKey("contests.id"))
    group_id: Mapped[int | None] = mapped_column(ForeignKey("groups.id"))
    """It belongs to exactly one of these three."""
    text: Mapped[str] = mapped_column(Text)
    hidden: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    """Whether the staff has hidden it from everybody but its author and themselves."""


class MailRow(Base):
    """An e-mail to a person: waiting, under way, or what became of it."""

    __tablename__ = "mails"
    __table_args__ = (Index(None, "state", "due_at"),)

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    kind: Mapped[MailKind] = mapped_column(String(10))
    address: Mapped[str] = mapped_column(String(200))
    after_notice: Mapped[int] = mapped_column(BIG_ID, default=0)
    """For notices: it contains those after this id, up to ``last_notice``."""
    last_notice: Mapped[int] = mapped_column(BIG_ID, default=0)
    code_digest: Mapped[str] = mapped_column(String(64), default="", index=True)
    """The hash of the code in its link, which confirms the address or ends the mails."""
    state: Mapped[MailState] = mapped_column(String(10))
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    created_at: Mapped[str] = mapped_column(TIME)
    due_at: Mapped[str] = mapped_column(TIME)
    """When it is tried next or, under way, when it was begun."""
