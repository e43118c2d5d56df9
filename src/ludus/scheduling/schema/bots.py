"""Uploaded bots and their versions."""

from __future__ import annotations

from typing import Any, Literal

from sqlalchemy import (
    JSON,
    Boolean,
    ForeignKey,
    Integer,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
    false,
)
from sqlalchemy.orm import Mapped, mapped_column

from ludus.scheduling.schema.base import TIME, Base

VersionState = Literal["checking", "good", "refused"]
MadeWith = Literal["", "alone", "team", "model"]
"""How people say that they made a version; empty: they do not say."""


class BotRow(Base):
    """A bot that a person or a team uploads, version by version."""

    __tablename__ = "bots"
    __table_args__ = (UniqueConstraint("game", "name_key"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    game: Mapped[str] = mapped_column(String(60))
    name: Mapped[str] = mapped_column(String(40))
    name_key: Mapped[str] = mapped_column(String(80))
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"), index=True)
    team_id: Mapped[int | None] = mapped_column(ForeignKey("teams.id"), index=True)
    """The owner is either a person or a team."""
    description: Mapped[str] = mapped_column(Text, default="")
    ladder_version_id: Mapped[int | None] = mapped_column(Integer)
    """The version that plays on the ladder."""
    retired: Mapped[bool] = mapped_column(Boolean, default=False)
    created_at: Mapped[str] = mapped_column(TIME)
    public_notes: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    """Whether everyone may read what it says about its moves."""
    ladder_pushes: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    """Whether versions that are pushed with git enter the ladder once their check succeeds."""
    private: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    """Whether only its owners and admins know that it exists, such as a rival of assignments."""


class VersionRow(Base):
    """One upload of a bot; its files never change."""

    __tablename__ = "versions"
    __table_args__ = (UniqueConstraint("bot_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    bot_id: Mapped[int] = mapped_column(ForeignKey("bots.id"))
    number: Mapped[int] = mapped_column(Integer)
    created_at: Mapped[str] = mapped_column(TIME)
    size_bytes: Mapped[int] = mapped_column(Integer)
    digest: Mapped[str] = mapped_column(String(64))
    language: Mapped[str] = mapped_column(String(20), default="")
    comment: Mapped[str] = mapped_column(Text, default="")
    state: Mapped[VersionState] = mapped_column(String(10), index=True)
    """``checking``, ``good`` or ``refused``."""
    enter_ladder_when_checked: Mapped[bool] = mapped_column(Boolean, default=False)
    """Whether it enters the ladder as soon as its check succeeds."""
    made_with: Mapped[MadeWith] = mapped_column(String(10), default="", server_default="")
    """How its owner says that it was made."""
    check_result: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    """The result of the check, for its owner."""
    build_bytes: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    """The size of the compiled bot."""
    check_starts: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    """How often its check was started by a background process that died before it ended."""
    commit_id: Mapped[str] = mapped_column(String(64), default="", server_default="")
    """The commit that it was made from; empty for other uploads."""


class VersionFilesRow(Base):
    """The files of a version, as a zip."""

    __tablename__ = "version_files"

    version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"), primary_key=True)
    data: Mapped[bytes] = mapped_column(LargeBinary)


class CheckRecordRow(Base):
    """The record of a bout from the check of a version."""

    __tablename__ = "check_records"

    version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    data: Mapped[bytes] = mapped_column(LargeBinary)
