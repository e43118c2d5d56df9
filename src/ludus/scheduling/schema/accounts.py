"""Accounts: people, their sessions, tokens, teams and classes, and the server's settings.

Passwords, sessions and tokens are stored as hashes only, so that a stolen database does not reveal
them.
"""

from __future__ import annotations

from typing import Any, Literal

from sqlalchemy import JSON, Boolean, ForeignKey, Index, Integer, String, false
from sqlalchemy.orm import Mapped, mapped_column

from ludus.scheduling.schema.base import BIG_ID, TIME, Base

Role = Literal["organiser", "teacher", "student"]
GroupRole = Literal["teacher", "assistant", "student"]
"""What a person does in a class."""


class UserRow(Base):
    """A person with an account."""

    __tablename__ = "users"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    name_key: Mapped[str] = mapped_column(String(80), unique=True)
    """The case-folded name, which is unique, so that names do not differ only in case."""
    display_name: Mapped[str] = mapped_column(String(60), default="")
    email: Mapped[str] = mapped_column(String(200), default="")
    role: Mapped[Role] = mapped_column(String(12))
    password_hash: Mapped[str] = mapped_column(String(200))
    active: Mapped[bool] = mapped_column(Boolean, default=True)
    language: Mapped[str] = mapped_column(String(8), default="")
    created_at: Mapped[str] = mapped_column(TIME)
    email_verified: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    """Whether the person has shown that the address is theirs."""
    mail_notices: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    """Whether they want their notices by e-mail, too."""
    mailed_notice_id: Mapped[int] = mapped_column(BIG_ID, default=0, server_default="0")
    """Notices up to this one are in an e-mail already, or were never to be."""


class SessionRow(Base):
    """A browser in which a person has logged in."""

    __tablename__ = "sessions"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    created_at: Mapped[str] = mapped_column(TIME)
    expires_at: Mapped[str] = mapped_column(TIME)


class TokenRow(Base):
    """An API token, by which a program acts for a person."""

    __tablename__ = "tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    label: Mapped[str] = mapped_column(String(60))
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[str] = mapped_column(TIME)
    scopes: Mapped[str] = mapped_column(String(60), server_default="read upload play admin")
    """Its scopes, separated by spaces."""
    expires_at: Mapped[str | None] = mapped_column(TIME)
    last_used_at: Mapped[str | None] = mapped_column(TIME)
    """The approximate time of last use."""


class KnownDeviceRow(Base):
    """A browser or an address from which a person has logged in."""

    __tablename__ = "known_devices"

    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    seen_at: Mapped[str] = mapped_column(TIME)


class PasswordResetRow(Base):
    """A one-time code with which a person chooses a new password."""

    __tablename__ = "password_resets"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    expires_at: Mapped[str] = mapped_column(TIME)


class TeamRow(Base):
    """People who own bots together."""

    __tablename__ = "teams"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    name_key: Mapped[str] = mapped_column(String(80), unique=True)
    join_code: Mapped[str] = mapped_column(String(40), unique=True)
    """The secret code for joining the team."""


class TeamMemberRow(Base):
    """A person in a team."""

    __tablename__ = "team_members"

    team_id: Mapped[int] = mapped_column(ForeignKey("teams.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True, index=True)
    captain: Mapped[bool] = mapped_column(Boolean, default=False)


class GroupRow(Base):
    """A class of students."""

    __tablename__ = "groups"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(60))
    join_code: Mapped[str] = mapped_column(String(40), unique=True)
    archived_at: Mapped[str | None] = mapped_column(TIME)
    """When its term was closed; such a class can be read, but not changed. None: it is in use."""


class GroupMemberRow(Base):
    """A person in a class, with what its roster says of them: personal data, which only the staff
    of this class may see."""

    __tablename__ = "group_members"

    group_id: Mapped[int] = mapped_column(ForeignKey("groups.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True, index=True)
    role: Mapped[GroupRole] = mapped_column(String(10), default="student", server_default="student")
    student_number: Mapped[str] = mapped_column(String(40), default="", server_default="")
    real_name: Mapped[str] = mapped_column(String(60), default="", server_default="")
    section: Mapped[str] = mapped_column(String(60), default="", server_default="")
    """The part of the class that they belong to, as the roster names it."""


class NoticeRow(Base):
    """A notification for a person."""

    __tablename__ = "notices"
    __table_args__ = (Index(None, "user_id", "id"),)

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    created_at: Mapped[str] = mapped_column(TIME)
    kind: Mapped[str] = mapped_column(String(20))
    text: Mapped[dict[str, str]] = mapped_column(JSON)
    link: Mapped[str] = mapped_column(String(200), default="")
    read: Mapped[bool] = mapped_column(Boolean, default=False)


class AuditRow(Base):
    """An action of the staff, or of a person concerning their own account."""

    __tablename__ = "audit"

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    created_at: Mapped[str] = mapped_column(TIME)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    user_name: Mapped[str] = mapped_column(String(40))
    action: Mapped[str] = mapped_column(String(40))
    detail: Mapped[dict[str, Any]] = mapped_column(JSON)


class SettingRow(Base):
    """A site setting that differs from its default."""

    __tablename__ = "site_settings"

    key: Mapped[str] = mapped_column(String(40), primary_key=True)
    value: Mapped[Any] = mapped_column(JSON)


class QuotaUseRow(Base):
    """How much of a day's quota a person has used."""

    __tablename__ = "quota_use"

    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True)
    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    kind: Mapped[str] = mapped_column(String(20), primary_key=True)
    count: Mapped[int] = mapped_column(Integer)
